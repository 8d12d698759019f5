package io.belfry.benchkit.measure;

import java.util.Arrays;

/** One number for each {@link Count}. Owner: one loop; others get copies. */
public final class Counts {
    private final long[] values = new long[Count.values().length];

    public void add(Count count) {
        values[count.ordinal()]++;
    }

    public void add(Count count, long amount) {
        values[count.ordinal()] += amount;
    }

    public void add(Counts other) {
        for (int i = 0; i < values.length; i++) {
            values[i] += other.values[i];
        }
    }

    public void clear() {
        Arrays.fill(values, 0);
    }

    public long of(Count count) {
        return values[count.ordinal()];
    }
}
