package io.belfry.server.monitor;

import org.HdrHistogram.Histogram;

/** A distribution's count, percentiles and maximum in microseconds; all are zero if nothing was recorded. Immutable. */
public record Percentiles(long count, long p50Micros, long p90Micros, long p99Micros, long p999Micros, long maxMicros) {
    static final Percentiles NONE = new Percentiles(0, 0, 0, 0, 0, 0);

    static Percentiles of(Histogram histogram) {
        // A histogram looks for a percentile of no values in all of its buckets.
        if (histogram.getTotalCount() == 0) {
            return NONE;
        }
        return new Percentiles(
                histogram.getTotalCount(),
                histogram.getValueAtPercentile(50),
                histogram.getValueAtPercentile(90),
                histogram.getValueAtPercentile(99),
                histogram.getValueAtPercentile(99.9),
                histogram.getMaxValue());
    }
}
