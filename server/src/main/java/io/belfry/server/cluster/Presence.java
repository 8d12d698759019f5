package io.belfry.server.cluster;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Which subjects publishers watch, on whichever node, and which of those have subscribers, on whichever node. Each node tells the
 * others of its own in a log they all read; of a subject that nobody watches, nobody says anything. Owner: one thread.
 *
 * <p>What a node says are changes. It tells all it has to say when another node says hello, as each does when it begins, and
 * when something it said may not have been heard. A node that has said nothing for a while, by the clock of the log, is gone
 * with all it said; while nothing at all comes from the log, nobody goes.
 *
 * <pre>
 *  a record's value:   flags  entry entry ...        an entry:  kind  length  subject
 * </pre>
 */
final class Presence {
    /** Told of changes of what other nodes say. Called within {@link #onRecord}. */
    interface Listener {
        /** Publishers of other nodes watch the subject, or none does any more. */
        void onWatchedElsewhere(ByteBuffer subject, boolean watched);

        /** The subject has subscribers on other nodes, or none any more. */
        void onFollowedElsewhere(ByteBuffer subject, boolean followed);
    }

    private static final int HELLO = 1;
    private static final int BEGIN = 2;
    private static final int END = 4;

    private static final int YES = 1;
    private static final int WATCHED = 2;

    private static final int RECORD_BYTES = 128 << 10;

    /** What another node said. */
    private static final class Node {
        /** Each subject with the round in which it was last said. */
        final Map<ByteBuffer, Integer> watched = new HashMap<>();

        final Map<ByteBuffer, Integer> followed = new HashMap<>();
        long heardMillis;
        int round;
    }

    private final Listener listener;
    private final long goneMillis;
    private final int most;
    private final Map<String, Node> others = new HashMap<>();
    private final Map<ByteBuffer, Integer> watchedElsewhere = new HashMap<>();
    private final Map<ByteBuffer, Integer> followedElsewhere = new HashMap<>();
    private final Set<ByteBuffer> watched = new HashSet<>();
    private final Set<ByteBuffer> followed = new HashSet<>();
    private final Map<ByteBuffer, Boolean> watchChanges = new LinkedHashMap<>();
    private final Map<ByteBuffer, Boolean> followChanges = new LinkedHashMap<>();
    private long logMillis;
    private boolean helloDue = true;
    private boolean allDue;

    /** A node that says nothing for this time is gone; of its own, a node has so many subjects watched at most. */
    Presence(Listener listener, long goneMillis, int most) {
        this.listener = listener;
        this.goneMillis = goneMillis;
        this.most = most;
    }

    static byte[] bytes(ByteBuffer subject) {
        byte[] bytes = new byte[subject.remaining()];
        subject.duplicate().get(bytes);
        return bytes;
    }

    // ---- of this node ----

    /** A publisher of this node watches, or the last one does no more. Answers false where they watch too many. */
    boolean watched(ByteBuffer subject, boolean now) {
        if (now && watched.size() >= most && !watched.contains(subject)) {
            return false;
        }
        if (now ? watched.add(subject) : watched.remove(subject)) {
            watchChanges.put(subject, now);
        }
        return true;
    }

    int watched() {
        return watched.size();
    }

    /** This node has subscribers of a subject that is watched elsewhere, or none any more. */
    void followed(ByteBuffer subject, boolean now) {
        boolean says = now && watchedElsewhere.containsKey(subject);
        if (says ? followed.add(subject) : followed.remove(subject)) {
            followChanges.put(subject, says);
        }
    }

    /** Something it said may not be in the log. */
    void sayAll() {
        allDue = true;
    }

    /** Something the others said may not have been heard. */
    void hello() {
        helloDue = true;
    }

    /** Makes records of what is to be said; with {@code alive} one even if there is nothing. */
    void say(boolean alive, Consumer<byte[]> records) {
        int flags = helloDue ? HELLO : 0;
        if (allDue || helloDue) {
            watchChanges.clear();
            followChanges.clear();
            watched.forEach(subject -> watchChanges.put(subject, true));
            followed.forEach(subject -> followChanges.put(subject, true));
            flags |= BEGIN;
        }
        if (flags == 0 && !alive && watchChanges.isEmpty() && followChanges.isEmpty()) {
            return;
        }
        Writing writing = new Writing(records, flags);
        watchChanges.forEach((subject, now) -> writing.entry(WATCHED | (now ? YES : 0), subject));
        followChanges.forEach((subject, now) -> writing.entry(now ? YES : 0, subject));
        writing.end((flags & BEGIN) != 0 ? END : 0);
        watchChanges.clear();
        followChanges.clear();
        helloDue = false;
        allDue = false;
    }

    /** Cuts what is said into records. */
    private static final class Writing {
        private final Consumer<byte[]> records;
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private int flags;

        Writing(Consumer<byte[]> records, int flags) {
            this.records = records;
            this.flags = flags;
            out.write(0);
        }

        void entry(int kind, ByteBuffer subject) {
            out.write(kind);
            out.write(subject.remaining());
            out.writeBytes(bytes(subject));
            if (out.size() > RECORD_BYTES) {
                end(0);
            }
        }

        void end(int last) {
            byte[] record = out.toByteArray();
            record[0] = (byte) (flags | last);
            records.accept(record);
            flags = 0;
            out.reset();
            out.write(0);
        }
    }

    // ---- of the others ----

    /** The next record of the log; {@code own} where this node said it. What is no such record is passed over. */
    void onRecord(String name, boolean own, byte[] value, long timeMillis) {
        logMillis = Math.max(logMillis, timeMillis);
        if (!own && value.length > 0) {
            hear(name, value);
        }
        forgetGone();
    }

    private void hear(String name, byte[] value) {
        int flags = value[0];
        Node node = others.get(name);
        if (node == null) {
            node = new Node();
            others.put(name, node);
            // It may have been here for long: what it said before is to be said again.
            helloDue |= (flags & BEGIN) == 0;
        }
        node.heardMillis = logMillis;
        allDue |= (flags & HELLO) != 0;
        node.round += (flags & BEGIN) != 0 ? 1 : 0;
        int at = 1;
        while (at + 1 < value.length) {
            int kind = value[at];
            int length = value[at + 1] & 0xff;
            if (at + 2 + length > value.length) {
                return;
            }
            byte[] subject = java.util.Arrays.copyOfRange(value, at + 2, at + 2 + length);
            note(node, kind, ByteBuffer.wrap(subject));
            at += 2 + length;
        }
        if ((flags & END) != 0) {
            int round = node.round;
            dropSaidBefore(node.watched, round, subject -> countWatched(subject, -1));
            dropSaidBefore(node.followed, round, subject -> countFollowed(subject, -1));
        }
    }

    private void note(Node node, int kind, ByteBuffer subject) {
        boolean ofWatching = (kind & WATCHED) != 0;
        Map<ByteBuffer, Integer> said = ofWatching ? node.watched : node.followed;
        boolean now = (kind & YES) != 0;
        boolean changes = now ? said.put(subject, node.round) == null : said.remove(subject) != null;
        if (changes && ofWatching) {
            countWatched(subject, now ? 1 : -1);
        } else if (changes) {
            countFollowed(subject, now ? 1 : -1);
        }
    }

    private static void dropSaidBefore(Map<ByteBuffer, Integer> said, int round, Consumer<ByteBuffer> dropped) {
        Iterator<Map.Entry<ByteBuffer, Integer>> each = said.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<ByteBuffer, Integer> entry = each.next();
            if (entry.getValue() < round) {
                each.remove();
                dropped.accept(entry.getKey());
            }
        }
    }

    private void forgetGone() {
        Iterator<Node> each = others.values().iterator();
        while (each.hasNext()) {
            Node node = each.next();
            if (logMillis - node.heardMillis > goneMillis) {
                each.remove();
                node.watched.keySet().forEach(subject -> countWatched(subject, -1));
                node.followed.keySet().forEach(subject -> countFollowed(subject, -1));
            }
        }
    }

    private void countWatched(ByteBuffer subject, int by) {
        int nodes = count(watchedElsewhere, subject, by);
        if (nodes == 0 && followed.remove(subject)) {
            // The others keep what was said until it is taken back.
            followChanges.put(subject, false);
        }
        if (nodes == 0 || (nodes == 1 && by > 0)) {
            listener.onWatchedElsewhere(subject, nodes > 0);
        }
    }

    private void countFollowed(ByteBuffer subject, int by) {
        int nodes = count(followedElsewhere, subject, by);
        if (nodes == 0 || (nodes == 1 && by > 0)) {
            listener.onFollowedElsewhere(subject, nodes > 0);
        }
    }

    private static int count(Map<ByteBuffer, Integer> counts, ByteBuffer subject, int by) {
        int count = counts.getOrDefault(subject, 0) + by;
        if (count == 0) {
            counts.remove(subject);
        } else {
            counts.put(subject, count);
        }
        return count;
    }
}
