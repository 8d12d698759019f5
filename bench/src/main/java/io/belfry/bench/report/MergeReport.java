package io.belfry.bench.report;

import io.belfry.bench.report.HistogramLog.Stretch;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The report of histogram logs alone: all of them as one; a tag that is not ours is a run of its own. Pure. */
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
                null,
                runs,
                logs.stream().map(MergeReport::input).toList());
    }

    /** In the order they are met, the untagged first where there are any; connects go with those. */
    private static List<String> tags(List<HistogramLog> logs) {
        List<String> tags = new ArrayList<>(logs.stream()
                .flatMap(log -> log.stretches().stream())
                .map(Stretch::tag)
                .distinct()
                .toList());
        if (tags.removeAll(List.of("", HistogramLog.CONNECT))) {
            tags.addFirst("");
        }
        return tags;
    }

    private static Run run(List<HistogramLog> logs, String tag) {
        Merged merged = Merged.of(logs, tag);
        Merged connects = Merged.of(tag.isEmpty() ? logs : List.of(), HistogramLog.CONNECT);
        long from = Math.min(
                merged.isEmpty() ? Long.MAX_VALUE : merged.fromMillis(),
                connects.isEmpty() ? Long.MAX_VALUE : connects.fromMillis());
        long to = Math.max(merged.toMillis(), connects.toMillis());
        return new Run(
                tag.isEmpty() ? "all" : tag,
                tag.isEmpty() ? "All files as one." : "What the files have under the tag " + tag + ".",
                null,
                (to - from) / MILLIS_PER_SECOND,
                merged.isEmpty() ? null : merged.latency(from),
                connects.isEmpty() ? null : connects.latency(from),
                List.of(),
                null,
                null,
                List.of(),
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

    private static long values(HistogramLog log, String tag) {
        return log.stretches().stream()
                .filter(stretch -> stretch.isOf(tag))
                .mapToLong(stretch -> stretch.micros().getTotalCount())
                .sum();
    }

    private static Report.Input input(HistogramLog log) {
        List<HistogramLog> alone = List.of(log);
        return new Report.Input(
                log.name(),
                log.isEmpty() ? null : Instant.ofEpochMilli(edge(alone, true)).toString(),
                log.isEmpty() ? null : Instant.ofEpochMilli(edge(alone, false)).toString(),
                log.stretches().size(),
                values(log, ""),
                values(log, HistogramLog.CONNECT),
                log.notes().isEmpty() ? null : String.join("; ", log.notes()));
    }
}
