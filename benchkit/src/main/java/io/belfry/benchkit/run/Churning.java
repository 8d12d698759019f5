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

/** benchsub whose clients come and go: the report is about connects, interval by interval. Owner: the main thread. */
record Churning(SubscriberFleet fleet) implements Role {
    @Override
    public boolean reportsFromTheStart() {
        return true;
    }

    @Override
    public void rampDown(Duration time) {
        fleet.rampDown(time);
    }

    @Override
    public Latencies subject(Figures figures) {
        return figures.latencies();
    }

    @Override
    public List<String> lines(ReportLines lines, Report report) {
        Latencies connects = report.interval().connects();
        List<String> block = new ArrayList<>();
        block.add("Phase: " + report.phase().words() + ", "
                + lines.number(fleet.state().standing()) + " clients connected");
        block.addAll(lines.block(
                report.uptime(),
                "Connect latency",
                "connections",
                connects,
                connects.count() / report.intervalSeconds()));
        if (report.total().latencies().count() > 0) {
            block.add(lines.brief("Message latency", report.total().latencies()));
        }
        if (fleet.options().verify()) {
            block.add(lines.verify(report.total().counts()));
        }
        return block;
    }

    @Override
    public boolean failed(Counts counts) {
        return counts.of(Count.DISCONNECTIONS)
                        + counts.of(Count.CONNECTS_FAILED)
                        + counts.of(Count.MISDELIVERED)
                        + counts.of(Count.LOST)
                        + counts.of(Count.DUPLICATED)
                        + counts.of(Count.REORDERED)
                        + counts.of(Count.POSITIONS_MISSING)
                        + counts.of(Count.GAPS_ANNOUNCED)
                > 0;
    }
}
