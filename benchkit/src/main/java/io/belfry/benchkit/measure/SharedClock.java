package io.belfry.benchkit.measure;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Nanoseconds since 1970 that a publisher's and a subscriber's process can compare. Immutable.
 *
 * <p>It is {@link System#nanoTime} plus an offset to the wall clock taken once, when the process starts. On Linux all
 * processes of a machine read the same monotonic clock, and NTP slews it together with the wall clock, so their offsets
 * agree within a microsecond unless the wall clock was set between their starts. Within a run time never jumps. Between
 * machines it is as good as their wall clocks agree.
 */
public final class SharedClock implements LongSupplier {
    private static final int TRIES = 32;

    private final long offsetNanos;

    private SharedClock(long offsetNanos) {
        this.offsetNanos = offsetNanos;
    }

    /** Reads both clocks several times and keeps the reading that the monotonic clock brackets most tightly. */
    public static SharedClock start() {
        long tightest = Long.MAX_VALUE;
        long offset = 0;
        for (int i = 0; i < TRIES; i++) {
            long before = System.nanoTime();
            long wall = wallNanos();
            long after = System.nanoTime();
            if (after - before < tightest) {
                tightest = after - before;
                offset = wall - (before + (after - before) / 2);
            }
        }
        return new SharedClock(offset);
    }

    private static long wallNanos() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    @Override
    public long getAsLong() {
        return System.nanoTime() + offsetNanos;
    }
}
