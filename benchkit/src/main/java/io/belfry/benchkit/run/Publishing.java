package io.belfry.benchkit.run;

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

/** A run of benchpub. Owner: the main thread. */
record Publishing(PublisherFleet fleet) implements Role {
    private static final Duration SETTLE_MAX = Duration.ofSeconds(10);

    @Override
    public void begin() {
        fleet.publish();
    }

    /** Waits for missing answers, also after Ctrl-C; the time limit starts again with each answer. */
    @Override
    public Optional<String> settle(Wait wait) {
        fleet.settle();
        for (long before = fleet.state().awaited(); before > 0; ) {
            long open = before;
            if (!wait.until(() -> fleet.state().awaited() < open, SETTLE_MAX)) {
                return Optional.of(ReportLines.number(open) + " answers of the server are missing after "
                        + SETTLE_MAX.toSeconds() + " s");
            }
            before = fleet.state().awaited();
        }
        return Optional.empty();
    }

    private boolean acknowledged() {
        return fleet.options().acknowledged();
    }

    @Override
    public Latencies measured(Figures figures) {
        return acknowledged() ? figures.latencies() : figures.lags();
    }

    @Override
    public List<String> lines(Recorder.Report report) {
        Figures total = report.total();
        String label = acknowledged() ? "Acknowledgement latency" : "Lag";
        List<String> lines =
                new ArrayList<>(report.block(label, "messages", measured(total), measured(report.interval())));
        if (acknowledged()) {
            lines.add(ReportLines.brief("Lag", total.lags()));
            lines.add("Published: " + ReportLines.number(published(total.counts())) + ", acknowledged: "
                    + ReportLines.number(total.counts().of(Count.ACKNOWLEDGED)));
        }
        return lines;
    }

    @Override
    public List<String> lastLines() {
        String without = ReportLines.number(fleet.streamsWithoutEndMark());
        String most = ReportLines.number(fleet.options().endMarksMax());
        return without.equals("0") || most.equals("0")
                ? List.of()
                : List.of("No end marks: " + without + " streams exceed EndMarks = " + most
                        + "; benchsub cannot detect the loss of the last messages of a stream");
    }

    private static long published(Counts counts) {
        return counts.of(Count.PUBLISHED) + counts.of(Count.WARM_UP_PUBLISHED);
    }

    @Override
    public boolean failed(Counts counts) {
        return counts.of(Count.ERRORS) + counts.of(Count.DISCONNECTIONS) > 0
                || (acknowledged() && counts.of(Count.ACKNOWLEDGED) != published(counts));
    }
}
