package io.belfry.server.monitor;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * What was recorded within about the last minute: six slices of ten seconds, the oldest forgotten as a new one begins.
 * A minute, because a scraper that comes every 15 or 30 s must not miss the spike between two of its visits. Owner: the
 * sampler's thread.
 */
final class RecentHistogram {
    static final int SLICES = 6;
    static final long SLICE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Histogram[] slices;
    private final Histogram sum;
    private int current;
    private long currentSinceNanos;

    /** {@code shape} makes the empty histograms; of one shape with what is added, adding is a plain array sum. */
    RecentHistogram(Supplier<Histogram> shape, long nowNanos) {
        slices = Stream.generate(shape).limit(SLICES).toArray(Histogram[]::new);
        sum = shape.get();
        currentSinceNanos = nowNanos;
    }

    void add(Histogram interval, long nowNanos) {
        for (int turned = 0; turned < SLICES && nowNanos - currentSinceNanos >= SLICE_NANOS; turned++) {
            current = (current + 1) % SLICES;
            slices[current].reset();
            currentSinceNanos += SLICE_NANOS;
        }
        if (nowNanos - currentSinceNanos >= SLICE_NANOS) {
            // The process slept for longer than all the slices cover; they are all empty by now.
            currentSinceNanos = nowNanos;
        }
        slices[current].add(interval);
    }

    Percentiles percentiles() {
        sum.reset();
        for (Histogram slice : slices) {
            sum.add(slice);
        }
        return Percentiles.of(sum);
    }
}
