package io.belfry.server.presence;

import io.belfry.protocol.Subjects;
import io.belfry.server.config.PresenceConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.LongWork;
import io.belfry.server.turn.Turn;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The members of subjects whose presence subjects have their home on this lane. Each change that followers see is a message of the
 * presence subject. A message has absolute values, so a follower may apply it to a state that contains it already. Owner: the
 * lane's loop.
 *
 * <p>A session that ends is counted for {@code Presence.LeaveTime} longer. A session of the same user that enters meanwhile takes
 * its place, and followers see nothing. The state is not stored as a message: a follower that begins, or that has missed messages,
 * gets it from here.
 *
 * <p>In a cluster each node has the members of all nodes here, and one of them publishes the changes: {@link SharedRooms}.
 */
public final class PresenceRooms {
    /** Interval between two messages with counts of a room. */
    private static final long COUNTS_NANOS = 1_000_000_000;

    /** Subjects that one step of {@link #restate} examines. */
    private static final int IDS_PER_STEP = 256;

    /** Publishes a message to a presence subject, at its home. */
    public interface Outlet {
        void publish(SubjectKey subject, byte[] data);
    }

    /** Receives the users that followers see joining and leaving, also where they get counts only. */
    public interface Observer {
        void onJoined(byte[] subject, String user);

        void onLeft(byte[] subject, String user);
    }

    private final Turn turn;
    private final LongWork work;
    private final LoopCounters counters;
    private final SubjectKey key;
    private final Outlet outlet;

    /** Maximum size of a message. */
    private final int bytesMax;

    private final Map<ByteBuffer, PresenceRoom> rooms = new HashMap<>();

    /** Users with ended sessions that followers still count, in the order of their times. */
    private final Set<PresentUser> leaving = new LinkedHashSet<>();

    /** Rooms whose followers get the whole state soon: counts that changed, and rooms of which a message was refused. */
    private final Set<PresenceRoom> restated = new LinkedHashSet<>();

    private PresenceConfig config;
    private @Nullable Observer observer;

    /** What followers have been sent, in a cluster; null on a single node. */
    private @Nullable ShownRooms shown;

    private BooleanSupplier publishes = () -> true;
    private boolean settling;
    private long countsNanos;

    /** Creates the lane's part; {@code bytesMax} is the maximum size of a message. */
    public PresenceRooms(
            Turn turn,
            LongWork work,
            LoopCounters counters,
            SubjectKey key,
            int bytesMax,
            PresenceConfig config,
            Outlet outlet) {
        this.turn = turn;
        this.work = work;
        this.counters = counters;
        this.key = key;
        this.bytesMax = bytesMax;
        this.config = config;
        this.outlet = outlet;
    }

    /** Reports users that join and leave from now on, with the presence subject. */
    public void observe(Observer next) {
        observer = next;
    }

    /**
     * Makes these the rooms of a cluster. Called before the first member.
     *
     * @param sent what followers have been sent, from which new followers get the state
     * @param leads whether this node publishes the changes now
     */
    void share(ShownRooms sent, BooleanSupplier leads) {
        shown = sent;
        publishes = leads;
    }

    /** Applies other bounds; each room does when it changes next. */
    public void reconfigure(PresenceConfig next) {
        config = next;
    }

    // ---- members ----

    /** Adds a session of a user to the room of a presence subject; {@code info} is JSON text. */
    public void enter(byte[] subject, String user, @Nullable String info) {
        PresenceRoom room = room(subject);
        PresentUser known = room.find(user);
        PresentUser member = known == null ? new PresentUser(room, user, info) : known;
        boolean changed = room.enter(member, info);
        if (known == null) {
            counters.increment(Counter.PRESENCE_MEMBERS);
            reportJoined(member);
        }
        if (!member.isLeaving()) {
            leaving.remove(member);
        }
        if (changed && known == null) {
            // A node that has not read the log from its begin knows the members of a room from its first state on.
            boolean begins = shown != null && room.users() == 1;
            show(room, begins ? room::state : () -> PresenceText.joined(member));
        } else if (changed) {
            show(room, () -> PresenceText.changed(member));
        }
    }

    /** Reports a member to the observer, if this node publishes the change. */
    void reportJoined(PresentUser member) {
        if (observer != null && publishes.getAsBoolean()) {
            member.setJoinReported();
            observer.onJoined(member.room().subject(), member.user());
        }
    }

    /** Reports a user who is no longer a member to the observer, if this node publishes the change. */
    void reportLeft(byte[] subject, String user) {
        if (observer != null && publishes.getAsBoolean()) {
            ShownRoom sent = shown == null ? null : shown.find(ByteBuffer.wrap(subject));
            if (sent != null) {
                sent.setLeftReported(user);
            }
            observer.onLeft(subject, user);
        }
    }

    private PresenceRoom room(byte[] subject) {
        return rooms.computeIfAbsent(ByteBuffer.wrap(subject), name -> {
            counters.increment(Counter.PRESENCE_SUBJECTS);
            return new PresenceRoom(subject);
        });
    }

    /** Removes a session of a user, which followers see after {@code Presence.LeaveTime}. */
    public void leave(byte[] subject, String user) {
        PresentUser member = find(subject, user);
        if (member != null && member.leave(turn.nowNanos() + leaveNanos())) {
            leaving.remove(member);
            leaving.add(member);
        }
    }

    /**
     * Removes a session of a user on a node that is dead. Its end has been due since the node fell silent, unless another session
     * of the user has ended meanwhile.
     */
    void leaveSilently(byte[] subject, String user, long silentMillis) {
        PresentUser member = find(subject, user);
        if (silentMillis < config.leaveMillis()) {
            leave(subject, user);
        } else if (member != null && member.isLeaving()) {
            member.leave(member.dueNanos());
        } else if (member != null && member.leave(turn.nowNanos())) {
            settle(member);
        }
    }

    /** Adds a member whose sessions have ended within {@code Presence.LeaveTime}, as far as this node knows; nothing is published. */
    void hold(byte[] subject, PresenceList.Entry sent) {
        PresenceRoom room = room(subject);
        if (room.find(sent.user()) != null) {
            return;
        }
        PresentUser member = new PresentUser(room, sent.user(), sent.info());
        for (int i = 0; i < sent.sessions(); i++) {
            room.enter(member, sent.info());
        }
        counters.increment(Counter.PRESENCE_MEMBERS);
        while (member.leave(turn.nowNanos() + leaveNanos())) {
            leaving.add(member);
        }
    }

    /** Returns the time for which a session is counted after its end. */
    long leaveNanos() {
        return config.leaveMillis() * 1_000_000;
    }

    private @Nullable PresentUser find(byte[] subject, String user) {
        PresenceRoom room = rooms.get(ByteBuffer.wrap(subject));
        return room == null ? null : room.find(user);
    }

    /** Publishes a change, unless followers get counts only; these follow once per second. */
    private void show(PresenceRoom room, Supplier<byte[]> change) {
        boolean otherForm = room.decide(config.maxMembers(), bytesMax);
        if (otherForm && !room.isListed()) {
            counters.increment(Counter.PRESENCE_LISTS_ENDED);
        }
        if (!publishes.getAsBoolean()) {
            return;
        }
        if (otherForm) {
            restated.remove(room);
            publish(room, room.state());
        } else if (room.isListed()) {
            publish(room, change.get());
        } else {
            restated.add(room);
        }
    }

    private void publish(PresenceRoom room, byte[] data) {
        counters.increment(Counter.PRESENCE_MESSAGES);
        outlet.publish(key.set(room.subject()), data);
    }

    // ---- followers ----

    /** Returns the message that a new follower of a presence subject gets, or null if the subject has no members. */
    public byte @Nullable [] state(SubjectKey subject) {
        if (shown != null) {
            return shown.state(subject);
        }
        if (rooms.isEmpty()) {
            return null;
        }
        PresenceRoom room = rooms.get(ByteBuffer.wrap(subject.bytes(), 0, subject.length()));
        return room == null || room.isEmpty() ? null : room.state();
    }

    /** Returns the members of the room of a presence subject, for the server API. */
    public PresenceList list(byte[] subject) {
        PresenceRoom room = rooms.get(ByteBuffer.wrap(subject));
        return room == null ? PresenceList.EMPTY : room.list();
    }

    /** Called when a message to a presence subject was refused, such as by a full disk: the whole state follows later. */
    public void onRefused(byte[] subject) {
        restateLater(subject);
    }

    /** Publishes the whole state of a room within a second or two. */
    void restateLater(byte[] subject) {
        restated.add(room(subject));
    }

    /** Returns the presence subjects of all rooms. */
    Set<ByteBuffer> subjects() {
        return rooms.keySet();
    }

    /** Returns the room of a presence subject, or null if it has no members. */
    @Nullable
    PresenceRoom find(ByteBuffer subject) {
        return rooms.get(subject);
    }

    /**
     * Publishes the state of each presence subject whose messages were restored from the disk: their members left with the process
     * that stored the messages. The lane also has subjects of other homes, which its sessions follow.
     */
    public void restate(LaneSubjects subjects, int lane) {
        int[] next = new int[1];
        work.begin(() -> {
            int end = Math.min(subjects.table().idBound(), next[0] + IDS_PER_STEP);
            for (; next[0] < end; next[0]++) {
                int id = next[0];
                if (subjects.table().has(id)
                        && Subjects.isPresence(subjects.table().key(id))
                        && subjects.homeOf(key.set(subjects.table(), id)) == lane) {
                    restated.add(room(key.copy()));
                }
            }
            return next[0] < subjects.table().idBound();
        });
    }

    // ---- time ----

    /** Shows the ends of sessions whose time has passed, and counts that changed. Called periodically. */
    public void tick() {
        if (!settling && isDue()) {
            settling = true;
            work.begin(() -> {
                if (isDue()) {
                    settle();
                }
                settling = isDue();
                return settling;
            });
        }
        if (!restated.isEmpty() && turn.nowNanos() - countsNanos >= 0) {
            countsNanos = turn.nowNanos() + COUNTS_NANOS;
            Iterator<PresenceRoom> now = new LinkedHashSet<>(restated).iterator();
            work.begin(() -> {
                if (now.hasNext()) {
                    restate(now.next());
                }
                return now.hasNext();
            });
        }
    }

    private boolean isDue() {
        return !leaving.isEmpty() && leaving.iterator().next().dueNanos() - turn.nowNanos() <= 0;
    }

    private void settle() {
        PresentUser member = leaving.iterator().next();
        leaving.remove(member);
        settle(member);
    }

    private void settle(PresentUser member) {
        PresenceRoom room = member.room();
        room.settle(member);
        boolean left = member.sessions() == 0;
        if (left) {
            counters.add(Counter.PRESENCE_MEMBERS, -1);
            reportLeft(room.subject(), member.user());
        }
        show(room, () -> left ? PresenceText.left(member) : PresenceText.changed(member));
        dropIfEmpty(room);
    }

    private void restate(PresenceRoom room) {
        if (restated.remove(room)) {
            if (publishes.getAsBoolean()) {
                publish(room, room.state());
            }
            dropIfEmpty(room);
        }
    }

    private void dropIfEmpty(PresenceRoom room) {
        if (room.isEmpty() && !restated.contains(room) && rooms.remove(ByteBuffer.wrap(room.subject())) != null) {
            counters.add(Counter.PRESENCE_SUBJECTS, -1);
        }
    }
}
