package io.belfry.server.monitor;

import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * A distribution since the start in fixed buckets, so that a monitoring system can subtract two visits, add over nodes
 * and alert on a window of its own. Immutable.
 *
 * @param atMost how many values lie at or below each of {@link #BOUNDS_MICROS}
 */
public record LatencyBuckets(List<Long> atMost, long count, double sumMicros) {
    /** From a tenth of a millisecond, the good case, to ten seconds, when a slow session's default grace ends. */
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
        return new LatencyBuckets(
                BOUNDS_MICROS.stream()
                        .map(bound -> sinceStart.getCountBetweenValues(0, bound))
                        .toList(),
                sinceStart.getTotalCount(),
                sumMicros);
    }
}
