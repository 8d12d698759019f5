package io.belfry.server.monitor;

import io.belfry.server.counter.Counters;
import io.belfry.server.counter.LoopCounters;
import java.util.List;
import java.util.function.BiConsumer;
import org.HdrHistogram.Histogram;

/** Reads the counters of one workgroup's loops. Owner: the sampler's thread. */
final class WorkgroupSampler {
    private final WorkgroupLoops workgroup;
    private final Counters counters;
    private final List<LaneSampler> lanes;
    private final RecentHistogram recentLag;
    private Tally tally;

    WorkgroupSampler(WorkgroupLoops workgroup, Counters counters, long nowNanos) {
        this.workgroup = workgroup;
        this.counters = counters;
        this.lanes = workgroup.loops().stream()
                .map(loop -> new LaneSampler(workgroup.name(), loop, counters))
                .toList();
        // With automatic resizing, because there may be 64 workgroups.
        this.recentLag = new RecentHistogram(() -> new Histogram(LoopCounters.LAG_DIGITS), nowNanos);
        this.tally = Tally.of(counters, workgroup.loops());
    }

    /** Returns the figures of the workgroup, and passes those of each loop with its index. */
    WorkgroupFigures sample(long nowNanos, long elapsedNanos, BiConsumer<Integer, LaneFigures> eachLane) {
        for (LaneSampler lane : lanes) {
            eachLane.accept(lane.index(), lane.sample(recentLag, nowNanos, elapsedNanos));
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
