package io.belfry.server.presence;

import io.belfry.server.broker.MemberEvents;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.LongWork;
import io.belfry.server.turn.Turn;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rooms of a lane in a cluster. Every node computes the members from the reports of all nodes, and reads from the log what
 * followers have been sent. One node at a time leads: it publishes each change, and whatever else followers lack. Owner: the
 * lane's loop.
 *
 * <p>So followers get the present members once all is quiet, whichever messages were lost, and whichever nodes led at the same time.
 */
public final class SharedRooms implements MemberEvents {
    private static final Logger LOG = LoggerFactory.getLogger(SharedRooms.class);

    /** Time without messages after which a room is compared with what followers have. */
    private static final long QUIET_NANOS = 2_000_000_000;

    /** Maximum number of rooms that are compared in one tick. */
    private static final int ROOMS_PER_TICK = 64;

    private final Turn turn;
    private final LongWork work;
    private final PresenceRooms rooms;
    private final ShownRooms shown = new ShownRooms();

    /** Presence subjects to compare, with the times of their latest messages, in the order of these times. */
    private final Map<ByteBuffer, Long> changed = new LinkedHashMap<>();

    private boolean leading;
    private long leadUntilNanos;

    /** The time of the first report, before which this node knows of no session that ended. */
    private long begunNanos;

    private boolean begun;

    /** Creates the lane's part, and makes the rooms those of a cluster. */
    public SharedRooms(Turn turn, LongWork work, PresenceRooms rooms) {
        this.turn = turn;
        this.work = work;
        this.rooms = rooms;
        rooms.share(shown, this::leads);
    }

    private boolean leads() {
        return leading && leadUntilNanos - turn.nowNanos() > 0;
    }

    private void begin() {
        if (!begun) {
            begun = true;
            begunNanos = turn.nowNanos();
        }
    }

    @Override
    public void onEntered(byte[] subject, String user, @Nullable String info) {
        begin();
        rooms.enter(subject, user, info);
    }

    @Override
    public void onLeft(byte[] subject, String user, long silentMillis) {
        if (silentMillis > 0) {
            rooms.leaveSilently(subject, user, silentMillis);
        } else {
            rooms.leave(subject, user);
        }
    }

    @Override
    public void onLeading(long untilNanos) {
        begin();
        boolean before = leads();
        leadUntilNanos = untilNanos;
        leading = untilNanos - turn.nowNanos() > 0;
        if (leading && !before) {
            compareAll();
        }
    }

    /** Publishes what followers lack, because the node that led before may have died before it did. */
    private void compareAll() {
        Set<ByteBuffer> subjects = new LinkedHashSet<>(rooms.subjects());
        subjects.addAll(shown.subjects());
        each(subjects, subject -> compare(subject, true));
    }

    private static byte[] bytes(ByteBuffer subject) {
        byte[] bytes = new byte[subject.remaining()];
        subject.duplicate().get(bytes);
        return bytes;
    }

    private interface Step {
        void take(ByteBuffer subject);
    }

    private void each(Set<ByteBuffer> subjects, Step step) {
        Iterator<ByteBuffer> next = subjects.iterator();
        work.begin(() -> {
            if (leads() && next.hasNext()) {
                step.take(next.next());
            }
            return leads() && next.hasNext();
        });
    }

    private void compare(ByteBuffer subject, boolean begins) {
        ShownRoom sent = shown.find(subject);
        if (begins && sent != null && turn.nowNanos() - begunNanos < rooms.leaveNanos()) {
            // A session may have ended before its end was reported to this node, and the user may return.
            sent.members().values().forEach(each -> rooms.hold(bytes(subject), each));
        }
        PresenceRoom room = rooms.find(subject);
        boolean same = sent == null ? room == null || room.isEmpty() : sent.shows(room);
        if (!same) {
            rooms.restateLater(bytes(subject));
            reportDifferences(bytes(subject), room, sent);
        }
    }

    /**
     * Reports the members that joined and left while no node led, or while messages were lost, apart from those that this node has reported and whose message it has not
     * read yet. If this node does not know what followers have, it reports all members: a report that is repeated is harmless.
     */
    private void reportDifferences(byte[] subject, @Nullable PresenceRoom room, @Nullable ShownRoom sent) {
        if (sent != null && sent.isWhole() && !sent.isListed()) {
            return;
        }
        if (room != null) {
            for (PresentUser member : room.members()) {
                boolean sees = sent != null && sent.members().containsKey(member.user());
                if (!sees && !member.isJoinReported()) {
                    rooms.reportJoined(member);
                }
            }
        }
        if (sent != null) {
            for (String user : sent.members().keySet()) {
                boolean present = room != null && room.find(user) != null;
                if (!present && !sent.isLeftReported(user)) {
                    rooms.reportLeft(subject, user);
                }
            }
        }
    }

    @Override
    public void onNodeStarted() {
        if (leads()) {
            each(new LinkedHashSet<>(rooms.subjects()), subject -> rooms.restateLater(bytes(subject)));
        }
    }

    @Override
    public void onMessage(SubjectKey subject, byte[] data) {
        ByteBuffer name = ByteBuffer.wrap(subject.copy());
        try {
            shown.apply(name, data);
        } catch (IOException invalid) {
            LOG.debug("a message of a presence subject cannot be read", invalid);
        }
        if (leads()) {
            changed.remove(name);
            changed.put(name, turn.nowNanos());
        }
    }

    /** Compares rooms whose messages have ended. Called periodically. */
    public void tick() {
        if (!leads()) {
            leading = false;
            changed.clear();
            return;
        }
        for (int i = 0; i < ROOMS_PER_TICK && !changed.isEmpty(); i++) {
            Map.Entry<ByteBuffer, Long> oldest = changed.entrySet().iterator().next();
            if (turn.nowNanos() - oldest.getValue() < QUIET_NANOS) {
                return;
            }
            changed.remove(oldest.getKey());
            compare(oldest.getKey(), false);
        }
    }
}
