package io.belfry.benchkit.measure;

import org.HdrHistogram.Histogram;

/**
 * Latencies of every message: a histogram in microseconds with three digits, exact mean, deviation, minimum and
 * maximum. Owner: one loop; others get copies. A value below zero (clocks of two machines that disagree) counts as zero
 * and is told apart in {@link #belowZero}; one over an hour counts as an hour and is told apart in {@link #beyond}.
 */
public final class Latencies {
    public static final long MAX_MICROS = 3_600_000_000L;

    private Histogram histogram = new Histogram(1, MAX_MICROS, 3);
    private final Welford micros = new Welford();
    private long minNanos = Long.MAX_VALUE;
    private long maxNanos;
    private long belowZero;
    private long beyond;

    public Latencies() {
        histogram.setAutoResize(false);
    }

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

    public void add(Latencies other) {
        histogram.add(other.histogram);
        micros.add(other.micros);
        minNanos = Math.min(minNanos, other.minNanos);
        maxNanos = Math.max(maxNanos, other.maxNanos);
        belowZero += other.belowZero;
        beyond += other.beyond;
    }

    /**
     * Moves everything into {@code empty} and begins anew in what that had: the same few steps however much there is, for
     * the loop that does it has messages waiting.
     */
    void moveInto(Latencies empty) {
        Histogram filled = histogram;
        histogram = empty.histogram;
        empty.histogram = filled;
        empty.micros.add(micros);
        empty.minNanos = minNanos;
        empty.maxNanos = maxNanos;
        empty.belowZero = belowZero;
        empty.beyond = beyond;
        clearSums();
    }

    public void clear() {
        histogram.reset();
        clearSums();
    }

    private void clearSums() {
        micros.clear();
        minNanos = Long.MAX_VALUE;
        maxNanos = 0;
        belowZero = 0;
        beyond = 0;
    }

    public long count() {
        return micros.count();
    }

    public double minMillis() {
        return count() == 0 ? 0 : minNanos / 1e6;
    }

    public double maxMillis() {
        return maxNanos / 1e6;
    }

    public double meanMillis() {
        return micros.mean() / 1e3;
    }

    public double deviationMillis() {
        return micros.standardDeviation() / 1e3;
    }

    /** The value that {@code percentile} of 100 messages did not exceed; never above the maximum that was seen. */
    public double percentileMillis(double percentile) {
        return count() == 0 ? 0 : Math.min(histogram.getValueAtPercentile(percentile) / 1e3, maxMillis());
    }

    public long belowZero() {
        return belowZero;
    }

    public long beyond() {
        return beyond;
    }

    /** A copy in microseconds, for a histogram log. */
    public Histogram histogram() {
        return histogram.copy();
    }
}
