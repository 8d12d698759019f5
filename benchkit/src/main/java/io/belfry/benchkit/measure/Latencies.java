package io.belfry.benchkit.measure;

import org.HdrHistogram.Histogram;

/**
 * Latencies of every message: a histogram in microseconds with three digits, and exact mean, deviation, minimum and
 * maximum. A value below zero, from two clocks that disagree, counts as zero and in {@link #belowZero}; a value over an
 * hour counts as an hour and in {@link #beyond}. Owner: as of the {@link Figures} that they are part of.
 */
public final class Latencies {
    public static final long MAX_MICROS = 3_600_000_000L;

    private final Histogram histogram = new Histogram(1, MAX_MICROS, 3);
    private final Welford micros = new Welford();
    private long minNanos = Long.MAX_VALUE;
    private long maxNanos;
    private long belowZero;
    private long beyond;

    public Latencies() {
        histogram.setAutoResize(false);
    }

    /** Records one latency. */
    public void record(long nanos) {
        long value = nanos;
        if (value < 0) {
            belowZero++;
            value = 0;
        }
        minNanos = Math.min(minNanos, value);
        maxNanos = Math.max(maxNanos, value);
        micros.add(value / 1e3);
        long wholeMicros = (value + 500) / 1000;
        if (wholeMicros > MAX_MICROS) {
            beyond++;
            wholeMicros = MAX_MICROS;
        }
        histogram.recordValue(wholeMicros);
    }

    /** Adds the other latencies to these. */
    public void add(Latencies other) {
        histogram.add(other.histogram);
        micros.add(other.micros);
        minNanos = Math.min(minNanos, other.minNanos);
        maxNanos = Math.max(maxNanos, other.maxNanos);
        belowZero += other.belowZero;
        beyond += other.beyond;
    }

    /** Number of recorded values. */
    public long count() {
        return micros.count();
    }

    /** The smallest value, exact; 0 without values. */
    public double minMillis() {
        return count() == 0 ? 0 : minNanos / 1e6;
    }

    /** The largest value, exact; 0 without values. */
    public double maxMillis() {
        return maxNanos / 1e6;
    }

    /** The mean, exact. */
    public double meanMillis() {
        return micros.mean() / 1e3;
    }

    /** The standard deviation, exact. */
    public double deviationMillis() {
        return micros.standardDeviation() / 1e3;
    }

    /** The value that {@code percentile} of 100 messages did not exceed; at most the maximum. */
    public double percentileMillis(double percentile) {
        return count() == 0 ? 0 : Math.min(histogram.getValueAtPercentile(percentile) / 1e3, maxMillis());
    }

    /** Number of values below zero. */
    public long belowZero() {
        return belowZero;
    }

    /** Number of values over an hour. */
    public long beyond() {
        return beyond;
    }

    /** Returns a copy of the histogram, in microseconds. */
    public Histogram histogram() {
        return histogram.copy();
    }
}
