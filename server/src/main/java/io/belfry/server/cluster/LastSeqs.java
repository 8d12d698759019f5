package io.belfry.server.cluster;

import io.belfry.server.subject.SubjectTable;
import java.util.Arrays;

/**
 * Where the subjects that a lane no longer knows had their latest message, so that a client that comes back with an old
 * position of a quiet subject need not be told of a gap. Owner: the lane's loop.
 *
 * <p>Some thirty bytes for each subject, found by a hash of its name: two tables, a young one that is written to and an old one.
 * When the young one is full it becomes the old one, and what the old one had is given up: of its partitions only the highest
 * seq is kept, as the <em>floor</em> above which nothing was given up. So what has been quiet longest goes first, all at once
 * and without looking at any of it.
 */
final class LastSeqs {
    private static final int SMALLEST = 64;

    /** Two names of one hash do not happen, and nobody outside can make them. */
    private static final long SEED = new java.security.SecureRandom().nextLong();

    /** One of the two tables: hashes and seqs in turns, open addressing; 0 is no seq that is kept. */
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

        /** Where the hash is, or the free place where it would be. */
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

    /** For so many subjects at most. */
    LastSeqs(int partitions, int most) {
        this.most = most;
        floors = new long[partitions];
        young = new Table(partitions);
        old = new Table(partitions);
    }

    /** What lies before this seq is not known of any subject of the partition. */
    void beginsAt(int partition, long seq) {
        floors[partition] = Math.max(floors[partition], seq);
    }

    /** The subject's latest message had this seq. Answers how many subjects are given up for it. */
    int put(int partition, byte[] subject, long seq) {
        if (seq == floors[partition]) {
            // The floor says as much.
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

    /** The seq of the subject's latest message; where it is not known, one that is not below it. */
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
