package io.belfry.server.monitor;

import io.belfry.server.counter.Counters;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Reads the counters of one event loop. Owner: the sampler's thread. */
final class LaneSampler {
    private final String workgroup;
    private final Counters counters;
    private final List<Integer> loop;
    private final IntervalReader lags;
    private Tally tally;

    LaneSampler(String workgroup, int loop, Counters counters) {
        this.workgroup = workgroup;
        this.counters = counters;
        this.loop = List.of(loop);
        lags = new IntervalReader(counters.loop(loop).loopLag());
        tally = Tally.of(counters, this.loop);
    }

    /** Returns the figures since the last call, and adds the delays of the ticks to a histogram. */
    LaneFigures sample(RecentHistogram recentLag, long nowNanos, long elapsedNanos) {
        Histogram lag = lags.next();
        recentLag.add(lag, nowNanos);
        Tally before = tally;
        tally = Tally.of(counters, loop);
        return new LaneFigures(workgroup, tally, Rates.between(before, tally, elapsedNanos), lag.getMaxValue());
    }

    int index() {
        return loop.getFirst();
    }
}
