package io.belfry.bench.report;

import io.belfry.bench.report.Verdict.Check;
import io.belfry.bench.report.Verdict.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Judges what stalled readers cost, over all pairs of a run with them and one without: the latency of the others, the
 * memory of the server, and whether it counts to the message what it told them. Pure.
 */
public final class SlowClaim {
    /** The others' p99 may be larger by this share. */
    private static final double P99_MORE_MAX = 0.1;

    /** What a run's memory may grow by within the measurement, beyond what the run without stalled readers grows by. */
    private static final double MEGABYTES_MORE_MAX = 4;

    /** Samples at either end of the measurement whose median is compared. */
    private static final int SAMPLES = 5;

    private static final double MEGABYTE = 1 << 20;

    private SlowClaim() {}

    /** Runs of which half have stalled readers; the nth of those and the nth of the others are a pair. */
    public static Verdict of(List<Run> runs) {
        List<Run> stalled = runs.stream().filter(SlowClaim::isStalled).toList();
        List<Run> controls = runs.stream().filter(run -> !isStalled(run)).toList();
        List<Check> checks = new ArrayList<>();
        if (stalled.isEmpty() || stalled.size() != controls.size()) {
            checks.add(new Check("pairs", Level.RED, "none", "the runs did not come to their end"));
        } else {
            checks.add(others(stalled, controls));
            checks.add(memory("heap", Run.Sample::heapBytes, stalled, controls));
            checks.add(memory("direct memory", Run.Sample::directBytes, stalled, controls));
            checks.add(memory("resident memory", Run.Sample::processBytes, stalled, controls));
            checks.add(felt(stalled));
            checks.add(counted(stalled));
            checks.add(nothingElse(stalled));
        }
        return Verdict.claim(
                "Slow readers cost the others nothing, and the counts are exact",
                "Slow readers are not what they should be",
                checks);
    }

    private static boolean isStalled(Run run) {
        return run.delivery() != null && run.delivery().stalled() > 0;
    }

    private static Check others(List<Run> stalled, List<Run> controls) {
        List<Double> ratios = ratios(SlowClaim::p99, stalled, controls);
        List<Double> seconds = ratios(SlowClaim::p99OfMiddleSecond, stalled, controls);
        double median = median(ratios);
        return new Check(
                "p99 of the others",
                median <= 1 + P99_MORE_MAX ? Level.GREEN : Level.RED,
                String.format(Locale.ROOT, "%.2f of the run without", median),
                "the median of " + list(ratios, "%.2f") + "; may be 1.10. The runs without: "
                        + list(controls.stream().map(SlowClaim::p99).toList(), "%.2f")
                        + " ms. Of each run's seconds the one in the middle: " + list(seconds, "%.2f")
                        + ". Their generators themselves stood still for "
                        + list(stalled.stream().map(SlowClaim::standstill).toList(), "%.0f")
                        + " ms at most, and without for "
                        + list(controls.stream().map(SlowClaim::standstill).toList(), "%.0f"));
    }

    private static List<Double> ratios(ToDoubleFunction<Run> of, List<Run> stalled, List<Run> controls) {
        return IntStream.range(0, stalled.size())
                .mapToObj(pair -> of.applyAsDouble(stalled.get(pair)) / of.applyAsDouble(controls.get(pair)))
                .toList();
    }

    private static double p99(Run run) {
        return run.latency() == null ? Double.NaN : run.latency().percentileMillis(99);
    }

    /** What a single bad second, of the server or of the machine, leaves as it is. */
    private static double p99OfMiddleSecond(Run run) {
        List<Double> seconds = run.latency() == null
                ? List.of()
                : run.latency().intervals().stream()
                        .filter(interval -> interval.second() >= 0 && interval.second() < run.measuredSeconds())
                        .map(Latency.Interval::p99Millis)
                        .toList();
        return seconds.isEmpty() ? Double.NaN : median(seconds);
    }

    /** How long a process that only reads or publishes came too late to its own loop: the machine's part, or its own. */
    private static double standstill(Run run) {
        return run.generators().stream()
                .filter(generator -> !Judge.isStalled(generator))
                .map(Run.Generator::loopLag)
                .filter(Objects::nonNull)
                .mapToDouble(Run.Lag::maxMillis)
                .max()
                .orElse(Double.NaN);
    }

    private static Check memory(
            String name, Function<Run.Sample, @Nullable Long> of, List<Run> stalled, List<Run> controls) {
        List<Double> more = new ArrayList<>();
        for (int i = 0; i < stalled.size(); i++) {
            more.add(growth(stalled.get(i), of) - growth(controls.get(i), of));
        }
        double median = median(more);
        return new Check(
                name + " of the server",
                median <= MEGABYTES_MORE_MAX ? Level.GREEN : Level.RED,
                String.format(Locale.ROOT, "%+.1f MB", median),
                "grown within the measurement beyond what it grows without stalled readers, the median of "
                        + list(more, "%+.1f") + "; may be +" + Math.round(MEGABYTES_MORE_MAX));
    }

    /** From the median of the first samples to that of the last ones, in megabytes. */
    private static double growth(Run run, Function<Run.Sample, @Nullable Long> of) {
        List<Double> values = run.samples().stream()
                .filter(sample -> sample.second() > 0 && sample.second() <= run.measuredSeconds())
                .map(of)
                .filter(Objects::nonNull)
                .map(bytes -> bytes / MEGABYTE)
                .toList();
        int some = Math.min(SAMPLES, values.size());
        return some == 0
                ? Double.NaN
                : median(values.subList(values.size() - some, values.size())) - median(values.subList(0, some));
    }

    /** A run in which no slow reader was slow for the server shows nothing. */
    private static Check felt(List<Run> stalled) {
        List<Long> denied = stalled.stream()
                .map(run -> dropped(run) + conflated(run) + closed(run))
                .toList();
        return new Check(
                "stalled readers felt",
                denied.stream().allMatch(count -> count > 0) ? Level.GREEN : Level.RED,
                list(denied, "%,d"),
                "messages dropped or conflated and readers disconnected, as the server counts, in each run");
    }

    private static Check counted(List<Run> stalled) {
        boolean exact = true;
        List<String> sentences = new ArrayList<>();
        for (Run run : stalled) {
            Run.Delivery told = Objects.requireNonNull(run.delivery());
            exact &= told.stalledDropped() == dropped(run)
                    && told.stalledConflated() == conflated(run)
                    && told.stalledDisconnected() == closed(run);
            sentences.add(String.format(
                    Locale.ROOT,
                    "%,d dropped of %,d, %,d conflated of %,d, %,d disconnected of %,d",
                    told.stalledDropped(),
                    dropped(run),
                    told.stalledConflated(),
                    conflated(run),
                    told.stalledDisconnected(),
                    closed(run)));
        }
        return new Check(
                "counts of the server",
                exact ? Level.GREEN : Level.RED,
                exact ? "exact" : "not exact",
                "what stalled readers were told, of what the server counts: " + String.join("; ", sentences));
    }

    private static Check nothingElse(List<Run> stalled) {
        long skipped = sum(stalled, Run.Delivery::stalledSkipped);
        long repeated = sum(stalled, Run.Delivery::stalledRepeated);
        long behind = sum(stalled, Run.Delivery::stalledBehind);
        long received = sum(stalled, Run.Delivery::stalledReceived);
        return new Check(
                "deliveries to stalled readers",
                skipped + repeated + behind == 0 ? Level.GREEN : Level.RED,
                String.format(Locale.ROOT, "%,d", received),
                String.format(
                        Locale.ROOT,
                        "of the rest %,d were missing without a word, %,d came again and %,d were still owed at the end",
                        skipped,
                        repeated,
                        behind));
    }

    private static long sum(List<Run> runs, Function<Run.Delivery, Long> of) {
        return runs.stream()
                .mapToLong(run -> of.apply(Objects.requireNonNull(run.delivery())))
                .sum();
    }

    private static long dropped(Run run) {
        return byCode(run, "drops");
    }

    private static long conflated(Run run) {
        return byCode(run, "conflations");
    }

    private static long closed(Run run) {
        return run.server() == null || run.server().figures() == null
                ? 0
                : run.server().figures().path("closes").path("slow-consumer").asLong();
    }

    private static long byCode(Run run, String figure) {
        return run.server() == null || run.server().figures() == null
                ? 0
                : StreamSupport.stream(run.server().figures().path(figure).spliterator(), false)
                        .mapToLong(count -> count.asLong())
                        .sum();
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    private static String list(List<? extends Number> values, String format) {
        return values.stream()
                .map(value -> String.format(Locale.ROOT, format, value))
                .collect(Collectors.joining(", "));
    }
}
