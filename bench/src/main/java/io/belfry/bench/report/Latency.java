package io.belfry.bench.report;

import io.belfry.benchkit.measure.ReportLines;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * The latencies of a run, as in a report. Immutable.
 *
 * @param percentilesMillis by name, such as {@code 99.9}
 * @param curve pairs of percentile and milliseconds, denser towards 100 %
 * @param intervals the course over time, including values that {@code count} excludes
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
     * The latencies of an interval.
     *
     * @param second start of the interval, relative to the start of the measurement
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

    /** Returns the figures of a histogram, whose values are in microseconds. */
    public static Latency of(Histogram micros, List<Interval> intervals) {
        Map<String, Double> percentiles = new LinkedHashMap<>();
        for (double percentile : PERCENTILES) {
            percentiles.put(ReportLines.percentileName(percentile), millis(micros.getValueAtPercentile(percentile)));
        }
        return new Latency(
                micros.getTotalCount(),
                millis(micros.getMinValue()),
                millis(micros.getMaxValue()),
                micros.getMean() / MICROS_PER_MILLI,
                micros.getStdDeviation() / MICROS_PER_MILLI,
                percentiles,
                curve(micros),
                List.copyOf(intervals));
    }

    /** A percentile of {@link #PERCENTILES}; 0 without values. */
    public double percentileMillis(double percentile) {
        return percentilesMillis.getOrDefault(ReportLines.percentileName(percentile), 0.0);
    }

    private static List<List<Double>> curve(Histogram micros) {
        List<List<Double>> points = new ArrayList<>();
        for (HistogramIterationValue value : micros.percentiles(TICKS_PER_HALF_DISTANCE)) {
            points.add(List.of(value.getPercentileLevelIteratedTo(), millis(value.getValueIteratedTo())));
        }
        return points;
    }

    private static double millis(long micros) {
        return micros / MICROS_PER_MILLI;
    }
}
