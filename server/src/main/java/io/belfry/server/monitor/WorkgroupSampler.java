package io.belfry.server.monitor;

import io.belfry.server.counter.Counters;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Reads the counters of one workgroup's loops. Owner: the sampler's thread. */
final class WorkgroupSampler {
    private final WorkgroupLoops workgroup;
    private final Counters counters;
    private final List<IntervalReader> lags;
    private final RecentHistogram recentLag;
    private Tally tally;

    WorkgroupSampler(WorkgroupLoops workgroup, Counters counters, long nowNanos) {
        this.workgroup = workgroup;
        this.counters = counters;
        this.lags = workgroup.loops().stream()
                .map(loop -> new IntervalReader(counters.loop(loop).loopLag()))
                .toList();
        // Two significant digits and automatic resizing: more precision has no use, and there may be 64 workgroups.
        this.recentLag = new RecentHistogram(() -> new Histogram(2), nowNanos);
        this.tally = Tally.of(counters, workgroup.loops());
    }

    WorkgroupFigures sample(long nowNanos, long elapsedNanos) {
        for (IntervalReader lag : lags) {
            recentLag.add(lag.next(), nowNanos);
        }
        Tally before = tally;
        tally = Tally.of(counters, workgroup.loops());
        return new WorkgroupFigures(
                workgroup.name(),
                workgroup.loops().size(),
                tally,
                Rates.between(before, tally, elapsedNanos),
                recentLag.percentiles());
    }
}
