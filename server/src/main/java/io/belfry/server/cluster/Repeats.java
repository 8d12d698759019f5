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
 * <p>What is a repetition is decided by the records alone, their order and their times in the log, never by what a node has
 * in memory or when it looks. A record repeats another if one with its id, itself repeated or not, lies within the time before
 * it: so it takes no more of the log than that to know. All nodes pass over the same records, whenever they were started.
 */
final class Repeats {
    private static final int SUBJECT_MAX = 255;

    /** No client can know two ids that meet. */
    private static final long SEED = new java.security.SecureRandom().nextLong();

    /** Two hashes of subject and id: that two of them are alike by chance does not happen. */
    private record Id(long first, long second) {}

    /** The seq of the first and the time of the last record with an id. */
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

    /** The next record of its partition: answers the seq of the one it repeats, or its own. */
    long onRecord(int partition, byte[] subject, byte[] messageId, long seq, long time) {
        OfPartition of = partitions[partition];
        of.latestTime = Math.max(of.latestTime, time);
        forgetOld(of);
        Id id = id(subject, messageId);
        // Taken out, so that it stands among the latest again.
        Known before = of.known.remove(id);
        long first = before != null && before.time >= time - repeatMillis ? before.seq : seq;
        of.known.put(id, new Known(first, time));
        return first;
    }

    /** The seq of the record with this id, as far as it has been read; or -1. */
    long find(int partition, byte[] subject, byte[] messageId) {
        @Nullable Known known = partitions[partition].known.get(id(subject, messageId));
        return known == null || known.time < partitions[partition].latestTime - repeatMillis ? -1 : known.seq;
    }

    private void forgetOld(OfPartition of) {
        // Times of a partition step back when its leader changes; twice the time is long enough for what is judged
        // then.
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
        // The length is part of it: where the one ends and the other begins must not be open.
        return new Id(
                SubjectTable.hash(joined, length, SEED + subject.length),
                SubjectTable.hash(joined, length, ~SEED - subject.length));
    }
}
