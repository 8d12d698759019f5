package io.belfry.server.cluster;

import io.belfry.server.subject.SubjectTable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The message ids of one lane's subjects within the repeat time: finds the records of the log that repeat an earlier one.
 * Owner: the lane's loop.
 *
 * <p>The decision depends only on the records, their order and their times in the log, never on a node's memory or clock.
 * A record is a repeat if a record with the same id, itself a repeat or not, lies within the repeat time before
 * it. No older part of the log is needed to decide that, so all nodes skip the same records, whenever they started.
 */
final class Repeats {
    private static final int SUBJECT_MAX = 255;

    /** Random, so that no client can construct two ids that collide. */
    private static final long SEED = new java.security.SecureRandom().nextLong();

    /** Two hashes of subject and id, 128 bits, so that accidental collisions are negligible. */
    private record Id(long first, long second) {}

    /** The seq of the first record with an id, and the time of the last one. */
    private record Known(long seq, long time) {}

    private static final class OfPartition {
        final Map<Id, Known> known = new LinkedHashMap<>();
        long latestTime;
    }

    private final OfPartition[] partitions;
    private final long repeatMillis;
    private byte[] joined = new byte[2 * SUBJECT_MAX];

    Repeats(int partitions, long repeatMillis) {
        this.partitions = new OfPartition[partitions];
        Arrays.setAll(this.partitions, i -> new OfPartition());
        this.repeatMillis = repeatMillis;
    }

    /** Takes the next record of its partition; returns the seq of the record that it repeats, or its own. */
    long onRecord(int partition, byte[] subject, byte[] messageId, long seq, long time) {
        OfPartition of = partitions[partition];
        of.latestTime = Math.max(of.latestTime, time);
        forgetOld(of);
        Id id = id(subject, messageId);
        // Removed first, so that it is inserted at the end again.
        Known before = of.known.remove(id);
        long first = before != null && before.time >= time - repeatMillis ? before.seq : seq;
        of.known.put(id, new Known(first, time));
        return first;
    }

    /** Returns the seq of the record with this id, or -1 if none has been read. */
    long find(int partition, byte[] subject, byte[] messageId) {
        @Nullable Known known = partitions[partition].known.get(id(subject, messageId));
        return known == null || known.time < partitions[partition].latestTime - repeatMillis ? -1 : known.seq;
    }

    private void forgetOld(OfPartition of) {
        // Times of a partition may step back when its leader changes; entries are kept for twice the time to
        // cover that.
        long before = of.latestTime - 2 * repeatMillis;
        Iterator<Known> oldest = of.known.values().iterator();
        while (oldest.hasNext() && oldest.next().time < before) {
            oldest.remove();
        }
    }

    private Id id(byte[] subject, byte[] messageId) {
        int length = subject.length + messageId.length;
        joined = joined.length < length ? new byte[length] : joined;
        System.arraycopy(subject, 0, joined, 0, subject.length);
        System.arraycopy(messageId, 0, joined, subject.length, messageId.length);
        // The length is hashed too, so that subject and id cannot be divided in another way.
        return new Id(
                SubjectTable.hash(joined, length, SEED + subject.length),
                SubjectTable.hash(joined, length, ~SEED - subject.length));
    }
}
