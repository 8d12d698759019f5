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
 * The subjects that publishers watch on any node, and which of them have subscribers on any node. Each node reports its own
 * to the others in a log that they all read; nothing is reported about a subject that nobody watches. Owner: one thread.
 *
 * <p>Nodes report changes. A node reports its whole state when another node sends hello, as each does at its start, and
 * when one of its reports may be lost. A node that reports nothing for a while, by the clock of the log, is removed
 * with its state; while nothing arrives from the log, no node is removed.
 *
 * <pre>
 *  a record's value:   flags  entry entry ...        an entry:  kind  length  subject
 * </pre>
 */
final class Presence {
    /** Receives changes that other nodes report. Called within {@link #onRecord}. */
    interface Listener {
        /** Called when publishers of other nodes start or stop watching the subject. */
        void onWatchedElsewhere(ByteBuffer subject, boolean watched);

        /** Called when other nodes gain or lose their subscribers of the subject. */
        void onFollowedElsewhere(ByteBuffer subject, boolean followed);
    }

    private static final int HELLO = 1;
    private static final int BEGIN = 2;
    private static final int END = 4;

    private static final int YES = 1;
    private static final int WATCHED = 2;

    private static final int RECORD_BYTES = 128 << 10;

    /** The state that another node has reported. */
    private static final class Node {
        /** Each subject with the round of its last report. */
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

    /** Creates the state. A node is removed after this time of silence; a node watches at most this many subjects. */
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

    // ---- this node ----

    /** Called when a publisher of this node starts to watch, or the last one stops. Returns false over the limit. */
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

    /** Called when this node gains or loses its subscribers of a subject that is watched elsewhere. */
    void followed(ByteBuffer subject, boolean now) {
        boolean says = now && watchedElsewhere.containsKey(subject);
        if (says ? followed.add(subject) : followed.remove(subject)) {
            followChanges.put(subject, says);
        }
    }

    /** Reports the whole state, because one of this node's reports may be lost. */
    void sayAll() {
        allDue = true;
    }

    /** Asks the others for their whole state, because one of their reports may be lost. */
    void hello() {
        helloDue = true;
    }

    /** Writes the pending reports as records; with {@code alive} at least one record. */
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

    /** Divides reports into records. */
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

    // ---- other nodes ----

    /** Takes the next record of the log; {@code own} marks this node's. Invalid records are skipped. */
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
            // The node may have been removed and returned: its earlier reports are requested again.
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
            // The others keep a report until it is revoked.
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
