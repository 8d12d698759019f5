package io.belfry.bench.report;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All a report says; its JSON form has these names. Immutable.
 *
 * @param format grows when a name changes its meaning or goes
 * @param kind {@code scenario} or {@code merge}
 * @param completed false: somebody or something ended it early, and these are the figures so far
 * @param verdict whether the load generators were the limit
 * @param claim whether what the scenario is there to show holds, where it shows something
 * @param command what makes such a report again
 */
public record Report(
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
        @Nullable Verdict verdict,
        @Nullable Verdict claim,
        @Nullable Map<String, String> versions,
        @Nullable Map<String, String> host,
        @Nullable Map<String, String> options,
        List<Run> runs,
        List<Input> inputs) {
    public static final int FORMAT = 1;

    /** A file that was merged. */
    public record Input(
            String file,
            @Nullable String begins,
            @Nullable String ends,
            int intervals,
            long messages,
            long connects,
            @Nullable String note) {}
}
