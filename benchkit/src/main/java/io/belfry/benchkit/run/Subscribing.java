package io.belfry.benchkit.run;

import io.belfry.benchkit.load.SubscriberFleet;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** benchsub whose clients stay. Owner: the main thread. */
record Subscribing(SubscriberFleet fleet) implements Role {
    private static final Duration QUIET = Duration.ofSeconds(1);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(10);
    private static final Duration UNSTALL_MIN = Duration.ofSeconds(2);

    @Override
    public void measuring() {
        fleet.stall();
    }

    /** End marks that are on their way arrive; those that do not come within a second of the last are lost. */
    @Override
    public Optional<String> settle(Waiting waiting, ReportLines lines) {
        long end = System.nanoTime() + SETTLE_MAX.toNanos();
        long open = fleet.state().awaited();
        while (open > 0 && System.nanoTime() < end) {
            long before = open;
            if (!waiting.until(() -> fleet.state().awaited() < before, QUIET)) {
                break;
            }
            open = fleet.state().awaited();
        }
        if (fleet.options().stalledShare() > 0) {
            fleet.unstall();
            waiting.until(() -> false, UNSTALL_MIN);
            waiting.until(() -> fleet.stalledBehind() == 0, SETTLE_MAX);
        }
        return Optional.empty();
    }

    @Override
    public Latencies subject(Figures figures) {
        return figures.latencies();
    }

    @Override
    public List<String> lines(ReportLines lines, Report report) {
        double perSecond = report.interval().latencies().count() / report.intervalSeconds();
        List<String> block = new ArrayList<>(
                lines.block(report.uptime(), "Latency", report.total().latencies(), perSecond));
        if (fleet.options().verify()) {
            block.add(lines.verify(report.total().counts()));
        }
        block.addAll(lines.clocks(fleet.clocks().entries(), fleet.options().correctClocks()));
        return block;
    }

    @Override
    public List<String> lastLines(ReportLines lines) {
        return fleet.options().verify()
                ? lines.findings(fleet.findings(), fleet.options().subjects()::text)
                : List.of();
    }

    @Override
    public void complete(Counts counts) {
        counts.add(Count.END_MARKS_MISSING, fleet.state().awaited());
        counts.add(Count.STALLED_BEHIND, fleet.stalledBehind());
    }

    @Override
    public boolean failed(Counts counts) {
        return counts.of(Count.DISCONNECTIONS)
                        + counts.of(Count.MISDELIVERED)
                        + counts.of(Count.LOST)
                        + counts.of(Count.DUPLICATED)
                        + counts.of(Count.REORDERED)
                        + counts.of(Count.POSITIONS_MISSING)
                        + counts.of(Count.END_MARKS_MISSING)
                        + counts.of(Count.GAPS_ANNOUNCED)
                        + counts.of(Count.STALLED_SKIPPED)
                        + counts.of(Count.STALLED_REPEATED)
                        + counts.of(Count.STALLED_BEHIND)
                > 0;
    }
}
