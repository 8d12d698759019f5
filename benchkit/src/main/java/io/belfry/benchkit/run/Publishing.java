package io.belfry.benchkit.run;

import io.belfry.benchkit.load.FleetState;
import io.belfry.benchkit.load.PublisherFleet;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** benchpub. Owner: the main thread. */
record Publishing(PublisherFleet fleet, boolean acknowledged) implements Role {
    private static final Duration SETTLE_MAX = Duration.ofSeconds(10);

    @Override
    public void begin() {
        fleet.publish();
    }

    /** The answers that are still out get their time, also after Ctrl-C; as long as some come, so long the rest may take. */
    @Override
    public Optional<String> settle(Waiting waiting, ReportLines lines) {
        fleet.settle();
        FleetState state = fleet.state();
        while (state.awaited() > 0) {
            long before = state.awaited();
            if (!waiting.until(() -> fleet.state().awaited() < before, SETTLE_MAX)) {
                return Optional.of(lines.number(before) + " answers of the server are missing after "
                        + SETTLE_MAX.toSeconds() + " s");
            }
            state = fleet.state();
        }
        return Optional.empty();
    }

    @Override
    public Latencies subject(Figures figures) {
        return acknowledged ? figures.latencies() : figures.lags();
    }

    @Override
    public List<String> lines(ReportLines lines, Report report) {
        String label = acknowledged ? "Acknowledgement latency" : "Lag";
        double perSecond = subject(report.interval()).count() / report.intervalSeconds();
        List<String> block = new ArrayList<>(lines.block(report.uptime(), label, subject(report.total()), perSecond));
        if (acknowledged) {
            block.add(lines.brief("Lag", report.total().lags()));
            block.add("Published: " + lines.number(published(report.total().counts())) + ", acknowledged: "
                    + lines.number(report.total().counts().of(Count.ACKNOWLEDGED)));
        }
        return block;
    }

    @Override
    public List<String> lastLines(ReportLines lines) {
        long without = fleet.streamsWithoutEndMark();
        return without == 0 || fleet.options().endMarksMax() == 0
                ? List.of()
                : List.of("No end marks: " + lines.number(without) + " streams are more than EndMarks = "
                        + lines.number(fleet.options().endMarksMax())
                        + "; benchsub cannot see a loss that nothing follows");
    }

    private static long published(Counts counts) {
        return counts.of(Count.PUBLISHED) + counts.of(Count.WARM_UP_PUBLISHED);
    }

    @Override
    public boolean failed(Counts counts) {
        return counts.of(Count.ERRORS) + counts.of(Count.DISCONNECTIONS) > 0
                || (acknowledged && counts.of(Count.ACKNOWLEDGED) != published(counts));
    }
}
