package io.belfry.bench.report;

import io.belfry.bench.report.HistogramLog.Interval;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the report of merged histogram logs; a tag of other programs is a run of its own. Pure. */
public final class MergeReport {
    private static final double MILLIS_PER_SECOND = 1000;

    private MergeReport() {}

    /** {@code command} is the command that makes the report again. */
    public static BenchReport of(List<HistogramLog> logs, String title, @Nullable String command) {
        List<Run> runs = tags(logs).stream().map(tag -> run(logs, tag)).toList();
        MergedLogs all = all(logs);
        List<String> problems = logs.stream()
                .flatMap(log -> log.notes().stream().map(note -> log.name() + ": " + note))
                .toList();
        return new BenchReport(
                BenchReport.FORMAT,
                "merge",
                "merge",
                title,
                (logs.size() == 1 ? "One file" : logs.size() + " files, merged and aligned by their absolute times")
                        + (runs.size() > 1 ? "; each tag separately." : "."),
                Instant.ofEpochMilli(all.fromMillis()).toString(),
                (all.toMillis() - all.fromMillis()) / MILLIS_PER_SECOND,
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

    /** The tags in the order of the files, the untagged first if there are any; connects belong to those. */
    private static List<String> tags(List<HistogramLog> logs) {
        List<String> tags = new ArrayList<>(
                all(logs).intervals().stream().map(Interval::tag).distinct().toList());
        if (tags.removeAll(List.of("", HistogramLog.CONNECT))) {
            tags.addFirst("");
        }
        return tags;
    }

    private static Run run(List<HistogramLog> logs, String tag) {
        MergedLogs merged = MergedLogs.of(logs, tag);
        MergedLogs connects = MergedLogs.of(tag.isEmpty() ? logs : List.of(), HistogramLog.CONNECT);
        MergedLogs both = new MergedLogs(Stream.concat(merged.intervals().stream(), connects.intervals().stream())
                .toList());
        long from = both.fromMillis();
        return new Run(
                tag.isEmpty() ? "all" : tag,
                tag.isEmpty() ? "All files merged." : "The intervals with the tag " + tag + ".",
                null,
                (both.toMillis() - from) / MILLIS_PER_SECOND,
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

    /** The intervals of all tags. */
    private static MergedLogs all(List<HistogramLog> logs) {
        return new MergedLogs(
                logs.stream().flatMap(log -> log.intervals().stream()).toList());
    }

    private static BenchReport.Input input(HistogramLog log) {
        List<HistogramLog> alone = List.of(log);
        return new BenchReport.Input(
                log.name(),
                log.isEmpty()
                        ? null
                        : Instant.ofEpochMilli(all(alone).fromMillis()).toString(),
                log.isEmpty()
                        ? null
                        : Instant.ofEpochMilli(all(alone).toMillis()).toString(),
                log.intervals().size(),
                MergedLogs.of(alone, "").total().getTotalCount(),
                MergedLogs.of(alone, HistogramLog.CONNECT).total().getTotalCount(),
                log.notes().isEmpty() ? null : String.join("; ", log.notes()));
    }
}
