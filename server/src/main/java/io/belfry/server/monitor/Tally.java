package io.belfry.server.monitor;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import java.util.Arrays;
import java.util.List;

/** The counters of some loops, summed at one moment. Immutable. */
public final class Tally {
    private final long[] values;

    private Tally(long[] values) {
        this.values = values;
    }

    static Tally of(Counters counters, List<Integer> loops) {
        return new Tally(Arrays.stream(Counter.values())
                .mapToLong(counter -> loops.stream()
                        .mapToLong(loop -> counters.loop(loop).value(counter))
                        .sum())
                .toArray());
    }

    public long value(Counter counter) {
        return values[counter.ordinal()];
    }

    /** Sessions open now. The loops count on while they are read, so the difference is kept from going below zero. */
    public long connectedSessions() {
        return Math.max(0, value(Counter.SESSIONS_OPENED) - value(Counter.SESSIONS_CLOSED));
    }
}
