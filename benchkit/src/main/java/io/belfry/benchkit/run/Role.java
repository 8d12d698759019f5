package io.belfry.benchkit.run;

import io.belfry.benchkit.load.Fleet;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Latencies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The differences between publishing and subscribing runs: their work, report lines and failures. */
sealed interface Role permits Subscribing, Publishing {
    Fleet fleet();

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
}
