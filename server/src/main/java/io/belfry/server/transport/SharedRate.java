package io.belfry.server.transport;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A token bucket that several loops take from: so many per period, with a burst of one period's worth. What is kept is
 * the moment until which all is paid for, so that how many they are may change at any time. Any thread.
 */
final class SharedRate {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long periodNanos;
    private final AtomicLong paidUntil;

    SharedRate(long periodNanos, long nowNanos) {
        this.periodNanos = periodNanos;
        paidUntil = new AtomicLong(nowNanos - periodNanos);
    }

    /** Takes one; answers 0, or if there was none in how many ms there is. */
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

    /** As {@link #take}, without taking. */
    long waitMillis(int perPeriod, long nowNanos) {
        long missing = isFull(nowNanos) ? 0 : paidUntil.get() + periodNanos / perPeriod - nowNanos;
        return missing > 0 ? millis(missing) : 0;
    }

    /** Nothing was taken for so long that there is nothing to remember. */
    boolean isFull(long nowNanos) {
        return paidUntil.get() + periodNanos - nowNanos <= 0;
    }

    private static long millis(long nanos) {
        return Math.ceilDiv(nanos, NANOS_PER_MILLI);
    }
}
