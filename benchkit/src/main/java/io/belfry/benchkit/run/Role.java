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

/** What differs between the programs when a run is conducted: the work, what is in the lines, and what is a failure. */
sealed interface Role {
    Fleet fleet();

    /** All clients are ready: the work begins. */
    default void begin() {}

    /** The measurement is over: nothing new begins. */
    default void settle() {}

    /** The latencies the report is about. */
    Latencies subject(Figures figures);

    List<String> lines(ReportLines lines, Duration uptime, Figures total, double perSecond);

    /** Whether these counts mean that something went wrong. */
    boolean failed(Counts counts);

    /** benchsub. */
    record Subscribing(SubscriberFleet fleet, boolean verify) implements Role {
        @Override
        public Latencies subject(Figures figures) {
            return figures.latencies();
        }

        @Override
        public List<String> lines(ReportLines lines, Duration uptime, Figures total, double perSecond) {
            List<String> block = new ArrayList<>(lines.block(uptime, "Latency", total.latencies(), perSecond));
            if (verify) {
                block.add(lines.verify(total.counts()));
            }
            return block;
        }

        @Override
        public boolean failed(Counts counts) {
            return counts.of(Count.DISCONNECTIONS)
                            + counts.of(Count.MISDELIVERED)
                            + counts.of(Count.LOST)
                            + counts.of(Count.DUPLICATED)
                            + counts.of(Count.REORDERED)
                            + counts.of(Count.POSITIONS_MISSING)
                            + counts.of(Count.GAPS_ANNOUNCED)
                    > 0;
        }
    }

    /** benchpub. */
    record Publishing(PublisherFleet fleet, boolean acknowledged) implements Role {
        @Override
        public void begin() {
            fleet.publish();
        }

        @Override
        public void settle() {
            fleet.settle();
        }

        @Override
        public Latencies subject(Figures figures) {
            return acknowledged ? figures.latencies() : figures.lags();
        }

        @Override
        public List<String> lines(ReportLines lines, Duration uptime, Figures total, double perSecond) {
            String label = acknowledged ? "Acknowledgement latency" : "Lag";
            List<String> block = new ArrayList<>(lines.block(uptime, label, subject(total), perSecond));
            if (acknowledged) {
                block.add(lines.brief("Lag", total.lags()));
                block.add("Published: " + lines.number(published(total.counts())) + ", acknowledged: "
                        + lines.number(total.counts().of(Count.ACKNOWLEDGED)));
            }
            return block;
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
}
