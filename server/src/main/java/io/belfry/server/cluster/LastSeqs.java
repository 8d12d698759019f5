package io.belfry.server.cluster;

import io.belfry.server.subject.SubjectTable;
import java.util.Arrays;

/**
 * The seq of the latest message of subjects that a lane no longer holds, so that a client that resumes an idle subject from an
 * old position need not receive a gap. Owner: the lane's loop.
 *
 * <p>About thirty bytes per subject, found by a hash of its name, in two tables: a young one that is written to and an old one.
 * When the young table is full it becomes the old one, and the entries of the previous old one are dropped. Of those only the
 * highest seq per partition is kept, as the <em>floor</em> above which nothing was dropped. The subjects that were idle longest
 * are therefore dropped first, together and without a scan.
 */
final class LastSeqs {
    private static final int SMALLEST = 64;

    /** Random, so that nobody outside can construct collisions; accidental ones of 64 bits are negligible. */
    private static final long SEED = new java.security.SecureRandom().nextLong();

    /** One of the two tables: alternating hashes and seqs, open addressing; seq 0 marks a free slot. */
    private static final class Table {
        private final long[] highest;
        private long[] slots = new long[2 * SMALLEST];
        private int used;

        Table(int partitions) {
            highest = new long[partitions];
        }

        void put(int partition, long hash, long seq) {
            if (4 * used >= 3 * (slots.length / 2)) {
                grow();
            }
            int at = slot(slots, hash);
            used += slots[at + 1] == 0 ? 1 : 0;
            slots[at] = hash;
            slots[at + 1] = seq;
            highest[partition] = Math.max(highest[partition], seq);
        }

        long find(long hash) {
            return slots[slot(slots, hash) + 1];
        }

        private void grow() {
            long[] larger = new long[2 * slots.length];
            for (int at = 0; at < slots.length; at += 2) {
                if (slots[at + 1] != 0) {
                    int to = slot(larger, slots[at]);
                    larger[to] = slots[at];
                    larger[to + 1] = slots[at + 1];
                }
            }
            slots = larger;
        }

        /** Returns the slot of the hash, or the free slot where it belongs. */
        private static int slot(long[] slots, long hash) {
            int mask = slots.length - 1;
            int at = (int) hash << 1 & mask;
            while (slots[at + 1] != 0 && slots[at] != hash) {
                at = at + 2 & mask;
            }
            return at;
        }
    }

    private final int most;
    private final long[] floors;
    private Table young;
    private Table old;

    /** Creates tables for at most this many subjects. */
    LastSeqs(int partitions, int most) {
        this.most = most;
        floors = new long[partitions];
        young = new Table(partitions);
        old = new Table(partitions);
    }

    /** Sets the floor of a partition: nothing is known of messages before this seq. */
    void beginsAt(int partition, long seq) {
        floors[partition] = Math.max(floors[partition], seq);
    }

    /** Stores the seq of a subject's latest message; returns the number of subjects dropped for it. */
    int put(int partition, byte[] subject, long seq) {
        if (seq == floors[partition]) {
            // The floor already implies it.
            return 0;
        }
        int givenUp = 0;
        if (young.used >= most / 2) {
            givenUp = old.used;
            Arrays.setAll(floors, each -> Math.max(floors[each], old.highest[each]));
            old = young;
            young = new Table(floors.length);
        }
        young.put(partition, hash(subject), seq);
        return givenUp;
    }

    /** Returns the seq of the subject's latest message, or if it is unknown, a seq that is not below it. */
    long find(int partition, byte[] subject) {
        long hash = hash(subject);
        long found = young.find(hash);
        found = found != 0 ? found : old.find(hash);
        return found != 0 ? found : floors[partition];
    }

    int size() {
        return young.used + old.used;
    }

    private static long hash(byte[] subject) {
        return SubjectTable.hash(subject, subject.length, SEED);
    }
}
