package io.belfry.benchkit.run;

import io.belfry.benchkit.load.Fleet;
import io.belfry.benchkit.load.PublisherFleet;
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
import java.util.function.BooleanSupplier;

/** The differences between publishing and subscribing runs: their work, report lines and failures. */
sealed interface Role {
    Duration SETTLE_MAX = Duration.ofSeconds(10);

    Fleet<?> fleet();

    /** Whether clients connect, leave and connect again; the report is then about connects. */
    default boolean churns() {
        return false;
    }

    /** Begins the work; all clients are ready. */
    default void begin() {}

    /** Called when the warm-up is over. */
    default void measuring() {}

    /** Begins to reduce the number of clients, down to none after this time. */
    default void rampDown(Duration time) {}

    /** Ends the work and waits for what is on its way; returns what is missing after the wait, in one line. */
    Optional<String> settle(Wait wait);

    /** Waits for a condition. */
    interface Wait {
        /** Returns true when the condition holds, and false after the time or if the run has failed. */
        boolean until(BooleanSupplier condition, Duration most);
    }

    /** The latencies that the histogram log has without a tag. */
    default Latencies measured(Figures figures) {
        return figures.latencies();
    }

    /** Formats the lines of a report. */
    List<String> lines(Recorder.Report report);

    /** Formats the lines that follow the summary. */
    List<String> lastLines();

    /** Adds the counts that are known at the end only. */
    default void complete(Counts counts) {}

    /** Whether these counts make the run a failure. */
    boolean failed(Counts counts);

    /** A run of benchsub, with clients that stay connected or that leave and connect again. Owner: the main thread. */
    record Subscribing(SubscriberFleet fleet) implements Role {
        private static final Duration QUIET = Duration.ofSeconds(1);
        private static final Duration UNSTALL_MIN = Duration.ofSeconds(2);

        @Override
        public boolean churns() {
            return fleet.options().holdTime() != null;
        }

        @Override
        public void measuring() {
            fleet.stall();
        }

        @Override
        public void rampDown(Duration time) {
            fleet.rampDown(time);
        }

        /** Waits for end marks; those that do not arrive within a second of the last one are counted as missing. */
        @Override
        public Optional<String> settle(Wait wait) {
            if (churns()) {
                return Optional.empty();
            }
            long end = System.nanoTime() + SETTLE_MAX.toNanos();
            long open = fleet.state().awaited();
            while (open > 0 && System.nanoTime() < end) {
                long before = open;
                if (!wait.until(() -> fleet.state().awaited() < before, QUIET)) {
                    break;
                }
                open = fleet.state().awaited();
            }
            if (fleet.options().stalledShare() > 0) {
                fleet.unstall();
                wait.until(() -> false, UNSTALL_MIN);
                wait.until(() -> fleet.stalledBehind() == 0, SETTLE_MAX);
            }
            return Optional.empty();
        }

        @Override
        public List<String> lines(Recorder.Report report) {
            Latencies messages = report.total().latencies();
            List<String> lines = new ArrayList<>();
            if (churns()) {
                String connected = ReportLines.number(fleet.state().standing());
                Latencies connects = report.interval().connects();
                lines.add("Phase: " + report.phase().words + ", " + connected + " clients connected");
                lines.addAll(report.block("Connect latency", "connections", connects, connects));
                if (messages.count() > 0) {
                    lines.add(ReportLines.brief("Message latency", messages));
                }
            } else {
                lines.addAll(report.block(
                        "Latency", "messages", messages, report.interval().latencies()));
            }
            if (fleet.options().verify()) {
                lines.add(ReportLines.verify(report.total().counts()));
            }
            if (!churns()) {
                lines.addAll(ReportLines.clocks(fleet.clocks(), fleet.options().correctClocks()));
            }
            return lines;
        }

        @Override
        public List<String> lastLines() {
            return fleet.options().verify() && !churns() ? ReportLines.findings(fleet.findings()) : List.of();
        }

        @Override
        public void complete(Counts counts) {
            if (!churns()) {
                counts.add(Count.END_MARKS_MISSING, fleet.state().awaited());
                counts.add(Count.STALLED_BEHIND, fleet.stalledBehind());
            }
        }

        @Override
        public boolean failed(Counts counts) {
            return counts.haveFaults();
        }
    }

    /** A run of benchpub. Owner: the main thread. */
    record Publishing(PublisherFleet fleet) implements Role {

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
}
