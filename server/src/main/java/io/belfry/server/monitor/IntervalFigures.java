package io.belfry.server.monitor;

import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Metrics of the last sampling interval only, about one second. Immutable.
 *
 * @param latency delivery latency
 * @param latencyBuckets number of deliveries in each bucket of {@link #BOUNDS_MICROS}, and above the last bound
 * @param lanes one element for each event loop, by its index
 */
public record IntervalFigures(Percentiles latency, List<Long> latencyBuckets, List<LaneFigures> lanes) {
    private static final int BUCKETS_PER_DECADE = 10;
    private static final double FIRST_MICROS = 50;

    /** Upper bounds of the buckets, ten per decade from 50 us to 5 s. */
    public static final List<Long> BOUNDS_MICROS = java.util.stream.IntStream.rangeClosed(0, 5 * BUCKETS_PER_DECADE)
            .mapToObj(i -> Math.round(FIRST_MICROS * Math.pow(10, i / (double) BUCKETS_PER_DECADE)))
            .toList();

    public IntervalFigures {
        latencyBuckets = List.copyOf(latencyBuckets);
        lanes = List.copyOf(lanes);
    }

    static List<Long> buckets(Histogram histogram) {
        Long[] counts = new Long[BOUNDS_MICROS.size() + 1];
        long from = 0;
        for (int i = 0; i < counts.length; i++) {
            long to = i < BOUNDS_MICROS.size() ? BOUNDS_MICROS.get(i) : Long.MAX_VALUE;
            counts[i] = histogram.getTotalCount() == 0
                    ? 0
                    : histogram.getCountBetweenValues(from, Math.min(to, histogram.getHighestTrackableValue()));
            from = to + 1;
        }
        return List.of(counts);
    }
}
