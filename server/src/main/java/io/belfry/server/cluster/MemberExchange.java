package io.belfry.server.cluster;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The users with sessions on any node, by presence subject, and the node that leads. Each node reports its own users in a log that
 * all nodes read, and takes its own reports from the log too, so that all nodes compute the same from the same records. Owner: one
 * thread.
 *
 * <p>A report has absolute numbers. A node reports all its users when another node sends hello, as each does at its start, and when
 * one of its reports may be lost. A node that reports nothing for a while, by the clock of the log, is removed with its users. Time
 * during which no node reports does not count, because then Kafka did not answer.
 *
 * <p>The node leads whose first record since it was last removed is the earliest in the log, so the order of nodes never changes.
 * A node leads until shortly before the others could remove it, and only when it has read the reports of all others.
 */
final class MemberExchange {
    /** Receives changes, in the order of the log. Called within {@link #onRecord}. */
    interface Listener {
        /** Called when a node has one session more of the user. */
        void onEntered(ByteBuffer subject, String user, @Nullable String info);

        /** Called when a node has one session less; {@code silentMillis} is 0 unless the node is regarded as dead. */
        void onLeft(ByteBuffer subject, String user, long silentMillis);

        /** Called when this node leads until this time; if that is over, its lead ends now. */
        void onLeading(long untilNanos);

        /** Called when this node leads and another one starts, or has started lately and before the lead. */
        void onNodeStarted();
    }

    /** The lead is extended by steps of this time at least, so that lanes get one task per second. */
    private static final long EXTENSION_NANOS = 500_000_000;

    /** Time within which a leader has served a node that started, or has died. */
    private static final long SERVED_MILLIS = 5_000;

    /** Time between the end of this node's lead and the time at which others could remove it. */
    private static final long MARGIN_MILLIS = 1000;

    /** The longest step of the clock of the log that counts as silence of a node: each node writes once per second. */
    private static final long STEP_MILLIS = 2000;

    private static final long NO_RANK = -1;

    /** The last report of a node about a user. */
    private static final class Reported {
        int sessions;

        @Nullable
        String info;

        int round;
    }

    /** A node, this one included. */
    private static final class Node {
        final Map<ByteBuffer, Map<String, Reported>> users = new HashMap<>();
        long heardMillis;
        long rank = NO_RANK;
        int round;
        boolean whole;
    }

    /** A user of this node. */
    private static final class OwnUser {
        int sessions;

        @Nullable
        String info;
    }

    private final Listener listener;
    private final long goneMillis;
    private final int most;
    private final Map<String, Node> nodes = new HashMap<>();
    private final Map<ByteBuffer, Map<String, OwnUser>> own = new HashMap<>();
    private final Map<ByteBuffer, Set<String>> changes = new LinkedHashMap<>();
    private @Nullable Node self;
    private int ownUsers;
    private long logMillis;
    private long startedMillis;
    private long leaseNanos;
    private boolean leaseKnown;
    private boolean leading;
    private long leadUntilNanos;
    private boolean helloDue = true;
    private boolean helloSent;
    private boolean allDue;
    private boolean rankDue;

    /** Creates the state. A node is removed after this time of silence; a node reports at most this many users. */
    MemberExchange(Listener listener, long goneMillis, int most) {
        this.listener = listener;
        this.goneMillis = goneMillis;
        this.most = most;
    }

    // ---- this node ----

    /** Adds a session of a user of this node; returns false if the user is left out because of the limit. */
    boolean enter(ByteBuffer subject, String user, @Nullable String info) {
        Map<String, OwnUser> users = own.computeIfAbsent(subject, added -> new HashMap<>());
        OwnUser known = users.get(user);
        if (known == null && ownUsers >= most) {
            if (users.isEmpty()) {
                own.remove(subject);
            }
            return false;
        }
        if (known == null) {
            known = new OwnUser();
            users.put(user, known);
            ownUsers++;
        }
        known.sessions++;
        known.info = info;
        onChanged(subject, user);
        return true;
    }

    /** Removes a session of a user of this node. */
    void leave(ByteBuffer subject, String user) {
        Map<String, OwnUser> users = own.get(subject);
        OwnUser known = users == null ? null : users.get(user);
        if (users == null || known == null) {
            return;
        }
        known.sessions--;
        if (known.sessions == 0) {
            users.remove(user);
            ownUsers--;
        }
        if (users.isEmpty()) {
            own.remove(subject);
        }
        onChanged(subject, user);
    }

    private void onChanged(ByteBuffer subject, String user) {
        changes.computeIfAbsent(subject, added -> new LinkedHashSet<>()).add(user);
    }

    /** Returns the number of users that this node reports, each counted per subject. */
    int ownUsers() {
        return ownUsers;
    }

    /** Reports all users, because one of this node's reports may be lost. It may have been a hello that was not read yet. */
    void sayAll() {
        allDue = true;
        helloDue |= helloSent;
    }

    /** Asks the others for all their users, because one of their reports may be lost. */
    void hello() {
        helloDue = true;
    }

    /** Writes the pending reports as records; with {@code alive} at least one record. */
    void say(boolean alive, long nowNanos, Consumer<byte[]> records) {
        int flags = helloDue ? MemberRecords.HELLO : 0;
        if (helloDue || allDue) {
            flags |= MemberRecords.BEGIN;
            changes.clear();
            own.forEach((subject, users) -> changes.put(subject, users.keySet()));
        }
        if (flags == 0 && !alive && !rankDue && changes.isEmpty()) {
            return;
        }
        MemberRecords writing = new MemberRecords(records, rank(), nowNanos, flags);
        changes.forEach((subject, users) -> {
            for (String user : users) {
                OwnUser known = own.getOrDefault(subject, Map.of()).get(user);
                writing.user(subject, user, known == null ? 0 : known.sessions, known == null ? null : known.info);
            }
        });
        writing.end((flags & MemberRecords.BEGIN) != 0 ? MemberRecords.END : 0);
        changes.clear();
        helloSent |= helloDue;
        helloDue = false;
        allDue = false;
        rankDue = false;
    }

    /** Writes that this node stops. */
    void sayBye(long nowNanos, Consumer<byte[]> records) {
        new MemberRecords(records, rank(), nowNanos, MemberRecords.BYE).end(0);
    }

    private long rank() {
        Node me = self;
        return me == null ? NO_RANK : me.rank;
    }

    /** Begins, extends or ends the lead of this node, as the records that it has read say. Returns whether it leads. */
    boolean lead(long nowNanos) {
        boolean leads = mayLead(nowNanos);
        long until = leads ? leaseNanos : nowNanos;
        boolean begins = leads && !leading;
        if (leads != leading || (leads && until - leadUntilNanos > EXTENSION_NANOS)) {
            leading = leads;
            leadUntilNanos = until;
            listener.onLeading(until);
        }
        if (begins && startedMillis > 0 && logMillis - startedMillis <= goneMillis + SERVED_MILLIS) {
            listener.onNodeStarted();
        }
        return leads;
    }

    private boolean mayLead(long nowNanos) {
        Node me = self;
        if (me == null || !leaseKnown || leaseNanos - nowNanos <= 0) {
            return false;
        }
        for (Node node : nodes.values()) {
            if (!node.whole || node.rank == NO_RANK || node.rank < me.rank) {
                return false;
            }
        }
        return true;
    }

    // ---- all nodes ----

    /** Takes the next record of the log; {@code mine} marks this node's. The rest of an invalid record is skipped. */
    void onRecord(String name, boolean mine, byte[] value, NodeLog.Place place) {
        advance(place.timeMillis());
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(value))) {
            int flags = in.readUnsignedByte();
            long rank = in.readLong();
            long sentNanos = in.readLong();
            if ((flags & MemberRecords.BYE) != 0) {
                remove(nodes.remove(name), 0);
            } else {
                Node node = heard(name, mine, flags, rank, place.offset());
                if (mine) {
                    leaseNanos = sentNanos + (goneMillis - MARGIN_MILLIS) * 1_000_000;
                    leaseKnown = true;
                    helloSent &= (flags & MemberRecords.HELLO) == 0;
                }
                readUsers(node, in);
                if ((flags & MemberRecords.END) != 0 && node.round > 0) {
                    dropReportedBefore(node);
                    node.whole = true;
                }
            }
        } catch (IOException invalid) {
            // A record of another program, or of a later version.
            return;
        } finally {
            removeSilent();
        }
    }

    /** Sets the clock of the log. Time in which no node wrote is no silence of a node. */
    private void advance(long timeMillis) {
        long step = timeMillis - logMillis;
        if (logMillis > 0 && step > STEP_MILLIS) {
            nodes.values().forEach(node -> node.heardMillis += step - STEP_MILLIS);
        }
        logMillis = Math.max(logMillis, timeMillis);
    }

    private Node heard(String name, boolean mine, int flags, long rank, long offset) {
        boolean hello = (flags & MemberRecords.HELLO) != 0;
        boolean begins = (flags & MemberRecords.BEGIN) != 0;
        Node node = nodes.get(name);
        if (node == null) {
            node = new Node();
            nodes.put(name, node);
            onAppeared(node, mine, hello, begins, offset);
        }
        node.heardMillis = logMillis;
        if (!mine && rank != NO_RANK) {
            node.rank = rank;
        }
        allDue |= hello && !mine;
        node.round += begins ? 1 : 0;
        return node;
    }

    private void onAppeared(Node node, boolean mine, boolean hello, boolean begins, long offset) {
        if (mine) {
            self = node;
            node.rank = offset;
            rankDue = true;
            // The others have removed this node too.
            allDue |= !begins;
            return;
        }
        if (hello) {
            node.rank = offset;
            startedMillis = logMillis;
            if (leading) {
                listener.onNodeStarted();
            }
        }
        // A hello on its way is answered anyway.
        helloDue |= !begins && !helloSent;
    }

    private void readUsers(Node node, DataInputStream in) throws IOException {
        ByteBuffer subject = ByteBuffer.allocate(0);
        while (in.available() > 0) {
            if (in.readUnsignedByte() == MemberRecords.SUBJECT) {
                byte[] name = new byte[in.readUnsignedByte()];
                in.readFully(name);
                subject = ByteBuffer.wrap(name);
            } else {
                int sessions = in.readInt();
                String user = MemberRecords.text(in);
                String info = MemberRecords.text(in);
                note(node, subject, user, sessions, info.isEmpty() ? null : info);
            }
        }
    }

    private void note(Node node, ByteBuffer subject, String user, int sessions, @Nullable String info) {
        Map<String, Reported> users = node.users.get(subject);
        Reported known = users == null ? null : users.get(user);
        int before = known == null ? 0 : known.sessions;
        boolean replaced = sessions > 0 && before > 0 && !Objects.equals(Objects.requireNonNull(known).info, info);
        if (sessions > 0) {
            if (known == null) {
                known = new Reported();
                node.users.computeIfAbsent(subject, added -> new HashMap<>()).put(user, known);
            }
            known.sessions = sessions;
            known.info = info;
            known.round = node.round;
        } else if (users != null && known != null) {
            users.remove(user);
            if (users.isEmpty()) {
                node.users.remove(subject);
            }
        }
        if (replaced) {
            // A session with the new info takes the place of one with the old info.
            listener.onLeft(subject, user, 0);
            listener.onEntered(subject, user, info);
        }
        for (int i = before; i < sessions; i++) {
            listener.onEntered(subject, user, info);
        }
        for (int i = before; i > sessions; i--) {
            listener.onLeft(subject, user, 0);
        }
    }

    private void dropReportedBefore(Node node) {
        Map<ByteBuffer, List<String>> old = new HashMap<>();
        node.users.forEach((subject, users) -> users.forEach((user, reported) -> {
            if (reported.round < node.round) {
                old.computeIfAbsent(subject, added -> new ArrayList<>()).add(user);
            }
        }));
        old.forEach((subject, users) -> users.forEach(user -> note(node, subject, user, 0, null)));
    }

    private void removeSilent() {
        Iterator<Node> each = nodes.values().iterator();
        while (each.hasNext()) {
            Node node = each.next();
            long silentMillis = logMillis - node.heardMillis;
            if (silentMillis > goneMillis) {
                each.remove();
                remove(node, silentMillis);
            }
        }
    }

    private void remove(@Nullable Node node, long silentMillis) {
        if (node == null) {
            return;
        }
        if (node == self) {
            self = null;
        }
        node.users.forEach((subject, users) -> users.forEach((user, reported) -> {
            for (int i = 0; i < reported.sessions; i++) {
                listener.onLeft(subject, user, silentMillis);
            }
        }));
    }
}
