package io.belfry.benchkit.run;

import io.belfry.benchkit.load.SubscriberFleet;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A run of benchsub, with clients that stay connected or that leave and connect again. Owner: the main thread. */
record Subscribing(SubscriberFleet fleet) implements Role {
    private static final Duration QUIET = Duration.ofSeconds(1);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(10);
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
            lines.add("Phase: " + report.phase().words() + ", " + connected + " clients connected");
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
