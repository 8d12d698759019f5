package io.belfry.server.monitor;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import java.util.List;

/** The counters of several loops, summed at one time. Immutable. */
public final class Tally {
    private final long[] values;

    private Tally(long[] values) {
        this.values = values;
    }

    static Tally of(Counters counters, List<Integer> loops) {
        long[] values = new long[Counter.values().length];
        for (int loop : loops) {
            counters.loop(loop).addTo(values);
        }
        return new Tally(values);
    }

    /** Returns the sum of this counter over all loops. */
    public long value(Counter counter) {
        return values[counter.ordinal()];
    }

    /** Returns the number of open sessions. Never negative, although loops count while their counters are read. */
    public long connectedSessions() {
        return Math.max(0, value(Counter.SESSIONS_OPENED) - value(Counter.SESSIONS_CLOSED));
    }
}
