package io.belfry.bench.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a report; the names are those of its JSON form. Immutable.
 *
 * @param format version, increased when a name changes its meaning or is removed
 * @param kind {@code scenario} or {@code merge}
 * @param verdict whether the load generators were the limit
 * @param claim whether the claim of the scenario holds, if it has one
 */
public record BenchReport(
        int format,
        String kind,
        @JsonUnwrapped Heading heading,
        @JsonUnwrapped Execution execution,
        @Nullable BenchVerdict verdict,
        @Nullable BenchVerdict claim,
        @JsonUnwrapped Setup setup,
        List<Run> runs,
        List<Input> inputs) {
    /** The name of the scenario, the title of the report, and the sentence below the title. */
    public record Heading(String name, String title, String sentence) {}

    /**
     * The course of the command.
     *
     * @param command the command that makes such a report again
     * @param completed false if the run ended early; the figures are then those until its end
     */
    public record Execution(
            String startedAt,
            double wallSeconds,
            @Nullable String command,
            int exitCode,
            boolean completed,
            List<String> problems) {}

    /** The measured versions, this host and the options of the workload. */
    public record Setup(
            @Nullable Map<String, String> versions,
            @Nullable Map<String, String> host,
            @Nullable Map<String, String> options) {
        /** The setup of merged files, which do not contain it. */
        public static final Setup UNKNOWN = new Setup(null, null, null);
    }

    /** The current version of the JSON form. */
    public static final int FORMAT = 1;

    /** A merged file. */
    public record Input(
            String file,
            @Nullable String begins,
            @Nullable String ends,
            int intervals,
            long messages,
            long connects,
            @Nullable String note) {}
}
