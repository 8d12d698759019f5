package io.belfry.server.session;

/** A rate per second with a burst of one second's worth. Owner: one loop. */
public final class RateBucket {
    private static final long NANOS = 1_000_000_000L;

    private final int perSecond;
    private final long nanosEach;
    private final long burstNanos;
    private long paidUntil;

    public RateBucket(int perSecond, long nowNanos) {
        this.perSecond = perSecond;
        nanosEach = NANOS / Math.max(1, perSecond);
        burstNanos = NANOS;
        paidUntil = nowNanos - burstNanos;
    }

    public int perSecond() {
        return perSecond;
    }

    /** Takes one token; returns false when none is left. */
    public boolean take(long nowNanos) {
        long from = Math.max(paidUntil, nowNanos - burstNanos);
        if (from + nanosEach - nowNanos > 0) {
            return false;
        }
        paidUntil = from + nanosEach;
        return true;
    }

    /** Returns whether no token is missing, so that a new bucket would be equal. */
    boolean isFull(long nowNanos) {
        return paidUntil - (nowNanos - burstNanos) <= 0;
    }

    /** Returns the milliseconds until {@link #take} can succeed again. */
    public long waitMillis(long nowNanos) {
        return Math.max(1, (paidUntil + nanosEach - nowNanos) / 1_000_000);
    }
}
