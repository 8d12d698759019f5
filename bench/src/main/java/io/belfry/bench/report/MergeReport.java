package io.belfry.bench.report;

import io.belfry.bench.report.HistogramLog.Stretch;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The report of histogram logs alone: all of them as one, each tag for itself. Pure. */
public final class MergeReport {
    private static final double MILLIS_PER_SECOND = 1000;

    private MergeReport() {}

    /** {@code command} is what makes it again. */
    public static Report of(List<HistogramLog> logs, String title, @Nullable String command) {
        List<Run> runs = tags(logs).stream().map(tag -> run(logs, tag)).toList();
        long from = edge(logs, true);
        long to = edge(logs, false);
        List<String> problems = logs.stream()
                .flatMap(log -> log.notes().stream().map(note -> log.name() + ": " + note))
                .toList();
        return new Report(
                Report.FORMAT,
                "merge",
                "merge",
                title,
                sentence(logs, runs),
                Instant.ofEpochMilli(from).toString(),
                (to - from) / MILLIS_PER_SECOND,
                command,
                0,
                true,
                problems,
                null,
                null,
                null,
                null,
                runs,
                logs.stream().map(MergeReport::input).toList());
    }

    /** In the order they are met, the untagged first where there are any. */
    private static List<String> tags(List<HistogramLog> logs) {
        List<String> tags = new ArrayList<>(logs.stream()
                .flatMap(log -> log.stretches().stream())
                .map(Stretch::tag)
                .distinct()
                .toList());
        if (tags.remove("")) {
            tags.addFirst("");
        }
        return tags;
    }

    private static Run run(List<HistogramLog> logs, String tag) {
        Merged merged = Merged.of(logs, tag);
        return new Run(
                tag.isEmpty() ? "all" : tag,
                tag.isEmpty() ? "All files as one." : "What the files have under the tag " + tag + ".",
                null,
                (merged.toMillis() - merged.fromMillis()) / MILLIS_PER_SECOND,
                merged.latency(),
                null,
                null,
                null,
                null,
                null,
                List.of(),
                List.of());
    }

    private static String sentence(List<HistogramLog> logs, List<Run> runs) {
        String files = logs.size() == 1 ? "One file" : logs.size() + " files as one, aligned by their absolute times";
        return files + (runs.size() > 1 ? "; each tag apart." : ".");
    }

    private static long edge(List<HistogramLog> logs, boolean first) {
        var times = logs.stream()
                .flatMap(log -> log.stretches().stream())
                .mapToLong(first ? Stretch::fromMillis : Stretch::toMillis);
        return (first ? times.min() : times.max()).orElse(0);
    }

    private static Report.Input input(HistogramLog log) {
        List<HistogramLog> alone = List.of(log);
        return new Report.Input(
                log.name(),
                log.isEmpty() ? null : Instant.ofEpochMilli(edge(alone, true)).toString(),
                log.isEmpty() ? null : Instant.ofEpochMilli(edge(alone, false)).toString(),
                log.stretches().size(),
                log.stretches().stream()
                        .mapToLong(stretch -> stretch.micros().getTotalCount())
                        .sum(),
                log.notes().isEmpty() ? null : String.join("; ", log.notes()));
    }
}
