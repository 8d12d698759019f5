package io.belfry.server.monitor;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Distribution of about the last minute: six slices of ten seconds, of which a new one replaces the oldest. A minute is
 * long enough that a scraper with an interval of 15 or 30 s does not miss a spike between two scrapes. Owner: the
 * sampler's thread.
 */
final class RecentHistogram {
    static final int SLICES = 6;
    static final long SLICE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Histogram[] slices;
    private final Histogram sum;
    private int current;
    private long currentSinceNanos;
    private Percentiles percentiles = Percentiles.NONE;
    private boolean changed;

    /** {@code shape} creates empty histograms. If it has the shape of the added ones, adding only sums up arrays. */
    RecentHistogram(Supplier<Histogram> shape, long nowNanos) {
        slices = Stream.generate(shape).limit(SLICES).toArray(Histogram[]::new);
        sum = shape.get();
        currentSinceNanos = nowNanos;
    }

    void add(Histogram interval, long nowNanos) {
        for (int turned = 0; turned < SLICES && nowNanos - currentSinceNanos >= SLICE_NANOS; turned++) {
            current = (current + 1) % SLICES;
            empty(slices[current]);
            currentSinceNanos += SLICE_NANOS;
        }
        if (nowNanos - currentSinceNanos >= SLICE_NANOS) {
            // The process was suspended for longer than all slices cover, so all of them are empty.
            currentSinceNanos = nowNanos;
        }
        if (interval.getTotalCount() > 0) {
            slices[current].add(interval);
            sum.add(interval);
            changed = true;
        }
    }

    private void empty(Histogram slice) {
        if (slice.getTotalCount() > 0) {
            slice.reset();
            sum.reset();
            for (Histogram left : slices) {
                sum.add(left);
            }
            changed = true;
        }
    }

    /** Computes the percentiles only after a change: a histogram has thousands of buckets, and a server may be idle for hours. */
    Percentiles percentiles() {
        if (changed) {
            percentiles = Percentiles.of(sum);
            changed = false;
        }
        return percentiles;
    }
}
