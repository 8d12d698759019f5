package io.belfry.bench.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.belfry.bench.report.BenchVerdict.Check;
import io.belfry.bench.report.BenchVerdict.Level;
import io.belfry.benchkit.measure.Texts;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Checks the effect of stalled readers, over all pairs of a run with them and a run without: the latency of the others, the
 * memory of the server, and whether the server's counts are exact. Pure.
 */
public record SlowClaim(List<Run> stalled, List<Run> controls) {
    /** Maximum increase of the others' p99, as a share. */
    private static final double P99_MORE_MAX = 0.1;
    /** Maximum growth of memory within the measurement, beyond that of the run without stalled readers. */
    private static final double MEGABYTES_MORE_MAX = 4;
    /** Number of samples at each end of the measurement whose medians are compared. */
    private static final int SAMPLES = 5;

    private static final double MEGABYTE = 1 << 20;

    /** Checks the runs; the nth run with stalled readers and the nth run without are a pair. */
    public static BenchVerdict of(List<Run> runs) {
        SlowClaim claim = new SlowClaim(
                runs.stream().filter(SlowClaim::isStalled).toList(),
                runs.stream().filter(run -> !isStalled(run)).toList());
        return BenchVerdict.ofClaim(
                "Slow readers do not affect the others, and the counts are exact",
                "Slow readers affect the others, or the counts are not exact",
                claim.checks());
    }

    private static boolean isStalled(Run run) {
        return run.traffic().delivery() != null && run.traffic().delivery().of("stalled") > 0;
    }

    private List<Check> checks() {
        return stalled.isEmpty() || stalled.size() != controls.size()
                ? List.of(new Check("pairs", Level.RED, "none", "the runs did not complete"))
                : List.of(
                        others(),
                        memory("heap", "heapBytes"),
                        memory("direct memory", "directBytes"),
                        memory("resident memory", "processBytes"),
                        affected(),
                        counted(),
                        nothingElse());
    }

    private Check others() {
        List<Double> ratios = pairs((slow, control) -> p99(slow) / p99(control));
        List<Double> seconds = pairs((slow, control) -> p99OfMedianSecond(slow) / p99OfMedianSecond(control));
        double median = median(ratios);
        return new Check(
                "p99 of the others",
                Level.of(median <= 1 + P99_MORE_MAX),
                Texts.format("%.2f of the run without", median),
                "the median of " + list(ratios, "%.2f") + "; at most 1.10. The runs without: "
                        + list(controls, SlowClaim::p99, "%.2f") + " ms. The median second of each run: "
                        + list(seconds, "%.2f") + ". Maximum loop lag of the generators: "
                        + list(stalled, SlowClaim::maxLoopLag, "%.0f") + " ms, and without stalled readers "
                        + list(controls, SlowClaim::maxLoopLag, "%.0f"));
    }

    private static double p99(Run run) {
        return run.times().latency() == null
                ? Double.NaN
                : run.times().latency().percentileMillis(99);
    }

    /** The median over seconds, which one bad second of the server or of the machine does not change. */
    private static double p99OfMedianSecond(Run run) {
        return run.times().latency() == null
                ? Double.NaN
                : median(run.times().latency().intervals().stream()
                        .filter(interval -> interval.second() >= 0 && interval.second() < run.measuredSeconds())
                        .map(Latency.Interval::p99Millis)
                        .toList());
    }

    /** Maximum loop lag of a process that only reads or publishes, caused by the machine or by the process itself. */
    private static double maxLoopLag(Run run) {
        return run.generators().stream()
                .filter(generator -> !GeneratorAssessment.isStalled(generator))
                .map(generator -> generator.effort().loopLag())
                .filter(Objects::nonNull)
                .mapToDouble(Run.Lag::maxMillis)
                .max()
                .orElse(Double.NaN);
    }

    private Check memory(String name, String figure) {
        List<Double> more = pairs((slow, control) -> growth(slow, figure) - growth(control, figure));
        double median = median(more);
        return new Check(
                name + " of the server",
                Level.of(median <= MEGABYTES_MORE_MAX),
                Texts.format("%+.1f MB", median),
                "growth within the measurement beyond that without stalled readers, the median of "
                        + list(more, "%+.1f") + "; at most +" + Math.round(MEGABYTES_MORE_MAX));
    }

    /** Growth from the median of the first samples to that of the last ones, in megabytes. */
    private static double growth(Run run, String figure) {
        List<Double> values =
                run.measured(figure).map(bytes -> bytes / MEGABYTE).toList();
        int some = Math.min(SAMPLES, values.size());
        return median(values.subList(values.size() - some, values.size())) - median(values.subList(0, some));
    }

    /** A run in which the server found no reader slow proves nothing. */
    private Check affected() {
        List<Long> withheld = stalled.stream()
                .map(run -> dropped(run) + conflated(run) + closed(run))
                .toList();
        return new Check(
                "stalled readers affected",
                Level.of(withheld.stream().allMatch(count -> count > 0)),
                list(withheld, "%,d"),
                "dropped and conflated messages and disconnected readers in each run, as counted by the server");
    }

    private Check counted() {
        boolean exact = stalled.stream().allMatch(run -> {
            return count(run, "stalledDropped") == dropped(run)
                    && count(run, "stalledConflated") == conflated(run)
                    && count(run, "stalledDisconnected") == closed(run);
        });
        String counts = stalled.stream()
                .map(run -> Texts.format(
                        "%,d dropped of %,d, %,d conflated of %,d, %,d disconnected of %,d",
                        count(run, "stalledDropped"),
                        dropped(run),
                        count(run, "stalledConflated"),
                        conflated(run),
                        count(run, "stalledDisconnected"),
                        closed(run)))
                .collect(Collectors.joining("; "));
        return new Check(
                "counts of the server",
                Level.of(exact),
                exact ? "exact" : "not exact",
                "announced to stalled readers, of the number counted by the server: " + counts);
    }

    private Check nothingElse() {
        long skipped = sum("stalledSkipped");
        long repeated = sum("stalledRepeated");
        long behind = sum("stalledBehind");
        return new Check(
                "deliveries to stalled readers",
                Level.of(skipped + repeated + behind == 0),
                Texts.format("%,d", sum("stalledReceived")),
                Texts.format(
                        "besides these, %,d were missing without a gap, %,d were repeated and %,d were not sent at the"
                                + " end",
                        skipped, repeated, behind));
    }

    private long sum(String name) {
        return stalled.stream().mapToLong(run -> count(run, name)).sum();
    }

    private static long count(Run run, String name) {
        return Objects.requireNonNull(run.traffic().delivery()).of(name);
    }

    private static long dropped(Run run) {
        return sumOf(stats(run).path("drops"));
    }

    private static long conflated(Run run) {
        return sumOf(stats(run).path("conflations"));
    }

    private static long closed(Run run) {
        return stats(run).path("closes").path("slow-consumer").asLong();
    }

    private static long sumOf(JsonNode byCode) {
        return byCode.valueStream().mapToLong(JsonNode::asLong).sum();
    }

    private static JsonNode stats(Run run) {
        return run.observed().server() == null || run.observed().server().figures() == null
                ? MissingNode.getInstance()
                : run.observed().server().figures();
    }

    /** Computes a figure of each pair of a run with stalled readers and a run without. */
    private List<Double> pairs(ToDoubleBiFunction<Run, Run> figure) {
        return IntStream.range(0, stalled.size())
                .mapToObj(pair -> figure.applyAsDouble(stalled.get(pair), controls.get(pair)))
                .toList();
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int half = sorted.size() / 2;
        return sorted.isEmpty()
                ? Double.NaN
                : sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    private static String list(List<Run> runs, ToDoubleFunction<Run> figure, String format) {
        return list(runs.stream().mapToDouble(figure).boxed().toList(), format);
    }

    private static String list(List<? extends Number> values, String format) {
        return values.stream().map(value -> Texts.format(format, value)).collect(Collectors.joining(", "));
    }
}
