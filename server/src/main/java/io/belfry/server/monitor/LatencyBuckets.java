package io.belfry.server.monitor;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Distribution since the start in fixed buckets. A monitoring system can subtract two scrapes, add the buckets of
 * several nodes and alert on its own time window. Immutable.
 *
 * @param atMost number of values less than or equal to each of {@link #BOUNDS_MICROS}
 */
public record LatencyBuckets(List<Long> atMost, long count, double sumMicros) {
    /** Bucket bounds, from 0.1 ms, a good latency, to 10 s, the default grace period of a slow session. */
    public static final List<Long> BOUNDS_MICROS = List.of(
            100L,
            250L,
            500L,
            1_000L,
            2_500L,
            5_000L,
            10_000L,
            25_000L,
            50_000L,
            100_000L,
            250_000L,
            500_000L,
            1_000_000L,
            2_500_000L,
            5_000_000L,
            10_000_000L);

    public LatencyBuckets {
        atMost = List.copyOf(atMost);
    }

    static LatencyBuckets of(Histogram sinceStart, double sumMicros) {
        List<Long> atMost = new ArrayList<>();
        long from = 0;
        long count = 0;
        for (long bound : BOUNDS_MICROS) {
            count += sinceStart.getCountBetweenValues(from, bound);
            atMost.add(count);
            // Values that the histogram does not distinguish from the bound are in its bucket.
            from = sinceStart.nextNonEquivalentValue(bound);
        }
        return new LatencyBuckets(atMost, sinceStart.getTotalCount(), sumMicros);
    }

    /** Returns a percentile of the values since an earlier state, as Prometheus estimates it from buckets; 0 without values. */
    long percentileSince(LatencyBuckets before, double quantile) {
        double rank = quantile * (count - before.count);
        double below = 0;
        long from = 0;
        for (int i = 0; i < BOUNDS_MICROS.size() && rank > 0; i++) {
            double upTo = atMost.get(i) - before.atMost.get(i);
            long bound = BOUNDS_MICROS.get(i);
            if (upTo >= rank) {
                return Math.round(from + (bound - from) * (rank - below) / (upTo - below));
            }
            below = upTo;
            from = bound;
        }
        return from;
    }
}
