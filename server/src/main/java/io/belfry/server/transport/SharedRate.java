package io.belfry.server.transport;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A token bucket that several loops use, with a burst of one period's tokens. It stores the time until which all taken
 * tokens are paid for, so the rate may change at any time. Any thread.
 */
final class SharedRate {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long periodNanos;
    private final AtomicLong paidUntil;

    SharedRate(long periodNanos, long nowNanos) {
        this.periodNanos = periodNanos;
        paidUntil = new AtomicLong(nowNanos - periodNanos);
    }

    /** Takes one token; returns 0, or the time in ms until one is available. */
    long take(int perPeriod, long nowNanos) {
        long each = periodNanos / perPeriod;
        while (true) {
            long paid = paidUntil.get();
            long from = isFull(nowNanos) ? nowNanos - periodNanos : paid;
            long missing = from + each - nowNanos;
            if (missing > 0) {
                return millis(missing);
            }
            if (paidUntil.compareAndSet(paid, from + each)) {
                return 0;
            }
        }
    }

    /** Returns the same as {@link #take}, without taking a token. */
    long waitMillis(int perPeriod, long nowNanos) {
        long missing = isFull(nowNanos) ? 0 : paidUntil.get() + periodNanos / perPeriod - nowNanos;
        return missing > 0 ? millis(missing) : 0;
    }

    /** Returns whether the bucket is full, so that it holds no information. */
    boolean isFull(long nowNanos) {
        return paidUntil.get() + periodNanos - nowNanos <= 0;
    }

    private static long millis(long nanos) {
        return Math.ceilDiv(nanos, NANOS_PER_MILLI);
    }
}
