package io.belfry.bench.report;

import io.belfry.bench.report.HistogramLog.Interval;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the report of merged histogram logs; a tag of other programs is a run of its own. Pure. */
public final class MergeReport {
    private static final double MILLIS_PER_SECOND = 1000;

    private MergeReport() {}

    /** {@code command} is the command that makes the report again. */
    public static BenchReport of(List<HistogramLog> logs, String title, @Nullable String command) {
        MergedLogs all = MergedLogs.of(logs);
        List<Run> runs = tags(all).stream().map(tag -> run(all, tag)).toList();
        List<String> problems = logs.stream()
                .flatMap(log -> log.notes().stream().map(note -> log.name() + ": " + note))
                .toList();
        String sentence =
                (logs.size() == 1 ? "One file" : logs.size() + " files, merged and aligned by their absolute times")
                        + (runs.size() > 1 ? "; each tag separately." : ".");
        double seconds = (all.toMillis() - all.fromMillis()) / MILLIS_PER_SECOND;
        return new BenchReport(
                BenchReport.FORMAT,
                "merge",
                new BenchReport.Heading("merge", title, sentence),
                new BenchReport.Execution(iso(all.fromMillis()), seconds, command, 0, true, problems),
                null,
                null,
                BenchReport.Setup.UNKNOWN,
                runs,
                logs.stream().map(MergeReport::input).toList());
    }

    /** The tags in the order of the files, the untagged first if there are any; connects belong to those. */
    private static List<String> tags(MergedLogs all) {
        List<String> tags = new ArrayList<>(
                all.intervals().stream().map(Interval::tag).distinct().toList());
        if (tags.removeAll(List.of("", HistogramLog.CONNECT))) {
            tags.addFirst("");
        }
        return tags;
    }

    private static Run run(MergedLogs all, String tag) {
        MergedLogs merged = all.tagged(tag);
        MergedLogs connects = tag.isEmpty() ? all.tagged(HistogramLog.CONNECT) : all.tagged();
        MergedLogs both = tag.isEmpty() ? all.tagged(tag, HistogramLog.CONNECT) : merged;
        long from = both.fromMillis();
        return new Run(
                tag.isEmpty() ? "all" : tag,
                tag.isEmpty() ? "All files merged." : "The intervals with the tag " + tag + ".",
                null,
                (both.toMillis() - from) / MILLIS_PER_SECOND,
                new Run.Times(
                        merged.isEmpty() ? null : merged.latency(from),
                        null,
                        connects.isEmpty() ? null : connects.latency(from),
                        List.of()),
                Run.Traffic.UNKNOWN,
                Run.Observed.UNKNOWN,
                List.of());
    }

    private static BenchReport.Input input(HistogramLog log) {
        MergedLogs all = MergedLogs.of(List.of(log));
        return new BenchReport.Input(
                log.name(),
                log.intervals().isEmpty() ? null : iso(all.fromMillis()),
                log.intervals().isEmpty() ? null : iso(all.toMillis()),
                log.intervals().size(),
                all.tagged("").total().getTotalCount(),
                all.tagged(HistogramLog.CONNECT).total().getTotalCount(),
                log.notes().isEmpty() ? null : String.join("; ", log.notes()));
    }

    private static String iso(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
