package io.belfry.benchkit.measure;

import java.util.Arrays;

/** A number for each {@link Count}. Owner: as of the {@link Figures} that they are part of. */
public final class Counts {
    private final long[] values = new long[Count.values().length];

    /** Adds 1. */
    public void add(Count count) {
        values[count.ordinal()]++;
    }

    /** Adds {@code amount}, which may be negative. */
    public void add(Count count, long amount) {
        values[count.ordinal()] += amount;
    }

    /** Adds the other counts to these. */
    public void add(Counts other) {
        for (int i = 0; i < values.length; i++) {
            values[i] += other.values[i];
        }
    }

    /** Whether one of the counts that make a run of subscribers fail is not zero. */
    public boolean haveFaults() {
        return Arrays.stream(Count.values()).anyMatch(count -> count.is(Count.Trait.FAULT) && of(count) != 0);
    }

    /** The current value of one count. */
    public long of(Count count) {
        return values[count.ordinal()];
    }
}
