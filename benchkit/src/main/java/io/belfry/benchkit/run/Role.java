package io.belfry.benchkit.run;

import io.belfry.benchkit.load.Fleet;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** What differs between the programs when a run is conducted: the work, what is in the lines, and what is a failure. */
sealed interface Role permits Subscribing, Churning, Publishing {
    Fleet fleet();

    /** All clients are ready: the work begins. */
    default void begin() {}

    /** The warm-up is over. */
    default void measuring() {}

    /** Whether the figures are worth a report while the clients are still being connected. */
    default boolean reportsFromTheStart() {
        return false;
    }

    /** After the measurement fewer and fewer clients are to be there, none after this time. */
    default void rampDown(Duration time) {}

    /**
     * The measurement is over: nothing new begins, what is on its way arrives.
     *
     * @return what is still missing after the wait, in one line
     */
    default Optional<String> settle(Waiting waiting, ReportLines lines) {
        return Optional.empty();
    }

    /** Lets time pass until something holds. */
    interface Waiting {
        /** True as soon as it holds, false if it does not within the time or the run cannot go on. */
        boolean until(BooleanSupplier holds, Duration most);
    }

    /** The latencies of messages, which the histogram log has without a tag. */
    Latencies subject(Figures figures);

    /**
     * What a report's lines are made of.
     *
     * @param uptime of the measurement
     * @param total everything so far
     * @param interval since the report before; in the summary, the whole measurement
     */
    record Report(Phase phase, Duration uptime, Figures total, Figures interval, double intervalSeconds) {}

    List<String> lines(ReportLines lines, Report report);

    /** What is only told once, behind the summary. */
    default List<String> lastLines(ReportLines lines) {
        return List.of();
    }

    /** Adds to the counts what can only be counted at the end. */
    default void complete(Counts counts) {}

    /** Whether these counts mean that something went wrong. */
    boolean failed(Counts counts);
}
