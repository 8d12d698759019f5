package io.belfry.bench.report;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a report; the names are those of its JSON form. Immutable.
 *
 * @param format version, increased when a name changes its meaning or is removed
 * @param kind {@code scenario} or {@code merge}
 * @param completed false if the run ended early; the figures are then those until its end
 * @param verdict whether the load generators were the limit
 * @param claim whether the claim of the scenario holds, if it has one
 * @param command the command that makes such a report again
 */
public record BenchReport(
        int format,
        String kind,
        String name,
        String title,
        String sentence,
        String startedAt,
        double wallSeconds,
        @Nullable String command,
        int exitCode,
        boolean completed,
        List<String> problems,
        @Nullable BenchVerdict verdict,
        @Nullable BenchVerdict claim,
        @Nullable Map<String, String> versions,
        @Nullable Map<String, String> host,
        @Nullable Map<String, String> options,
        List<Run> runs,
        List<Input> inputs) {
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
