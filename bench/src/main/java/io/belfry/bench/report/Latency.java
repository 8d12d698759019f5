package io.belfry.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Latencies of a run as a report tells them. Immutable.
 *
 * @param percentilesMillis by their names, such as {@code 99.9}
 * @param curve pairs of percentile and milliseconds, denser towards the end
 * @param intervals over time, also of what {@code count} leaves out
 */
public record Latency(
        long count,
        double minMillis,
        double maxMillis,
        double meanMillis,
        double deviationMillis,
        Map<String, Double> percentilesMillis,
        List<List<Double>> curve,
        List<Interval> intervals) {
    static final List<Double> PERCENTILES = List.of(50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99);
    private static final int TICKS_PER_HALF_DISTANCE = 5;
    private static final double MICROS_PER_MILLI = 1000;

    /**
     * A stretch of time.
     *
     * @param second where it begins, from the beginning of the measurement
     */
    public record Interval(
            double second,
            double seconds,
            long count,
            double p50Millis,
            double p90Millis,
            double p99Millis,
            double p999Millis,
            double maxMillis) {
        static Interval of(double second, double seconds, Histogram micros) {
            return new Interval(
                    second,
                    seconds,
                    micros.getTotalCount(),
                    millis(micros.getValueAtPercentile(50)),
                    millis(micros.getValueAtPercentile(90)),
                    millis(micros.getValueAtPercentile(99)),
                    millis(micros.getValueAtPercentile(99.9)),
                    millis(micros.getMaxValue()));
        }
    }

    /** {@code micros} has the values in microseconds. */
    public static Latency of(Histogram micros, List<Interval> intervals) {
        Map<String, Double> percentiles = new LinkedHashMap<>();
        for (double percentile : PERCENTILES) {
            percentiles.put(name(percentile), millis(micros.getValueAtPercentile(percentile)));
        }
        boolean any = micros.getTotalCount() > 0;
        return new Latency(
                micros.getTotalCount(),
                any ? millis(micros.getMinValue()) : 0,
                millis(micros.getMaxValue()),
                any ? micros.getMean() / MICROS_PER_MILLI : 0,
                any ? micros.getStdDeviation() / MICROS_PER_MILLI : 0,
                percentiles,
                curve(micros),
                List.copyOf(intervals));
    }

    public double percentileMillis(double percentile) {
        return percentilesMillis.getOrDefault(name(percentile), 0.0);
    }

    /** {@code 99} and {@code 99.9}. */
    static String name(double percentile) {
        return percentile == Math.rint(percentile) ? Long.toString((long) percentile) : Double.toString(percentile);
    }

    private static List<List<Double>> curve(Histogram micros) {
        List<List<Double>> points = new ArrayList<>();
        if (micros.getTotalCount() > 0) {
            for (HistogramIterationValue value : micros.percentiles(TICKS_PER_HALF_DISTANCE)) {
                points.add(List.of(value.getPercentileLevelIteratedTo(), millis(value.getValueIteratedTo())));
            }
        }
        return points;
    }

    private static double millis(long micros) {
        return micros / MICROS_PER_MILLI;
    }
}
