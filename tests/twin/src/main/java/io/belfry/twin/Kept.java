package io.belfry.twin;

import java.io.IOException;
import java.util.BitSet;

/** What a store has of a workload, read subject by subject and held against what it must be. */
record Kept(long messages, long lost, long wrong) {
    /** Of the messages below {@code acknowledged} every one must be there, and of later ones a beginning without holes. */
    static Kept in(Store store, Workload workload, long acknowledged) throws IOException {
        BitSet seen = new BitSet();
        long[] wrong = new long[1];
        for (int subject = 0; subject < workload.subjects(); subject++) {
            int at = subject;
            long[] last = new long[1];
            store.read(subject, 0, Integer.MAX_VALUE, (seq, data) -> {
                long number = Workload.number(data);
                boolean right = workload.subject(number) == at
                        && workload.seq(number) == seq
                        && seq == last[0] + 1
                        && java.util.Arrays.equals(data, workload.data(number));
                wrong[0] += right ? 0 : 1;
                last[0] = seq;
                seen.set((int) number);
            });
        }
        int there = seen.nextClearBit(0);
        long lost = Math.max(0, acknowledged - seen.get(0, (int) acknowledged).cardinality());
        // What comes behind a hole was kept though what was kept before it was not.
        wrong[0] += seen.cardinality() - there;
        return new Kept(there, lost, wrong[0]);
    }
}
