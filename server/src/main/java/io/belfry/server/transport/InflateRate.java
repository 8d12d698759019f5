package io.belfry.server.transport;

/**
 * Bounds the inflated bytes per second of the compressed messages of one session, because a few bytes on the wire may
 * inflate a thousandfold. A session over the rate is read later; it is not closed. Owner: the loop.
 */
final class InflateRate {
    private static final long NANOS = 1_000_000_000L;

    /**
     * Burst, in nanoseconds of the rate: bounds the bytes inflated at once, so that several sessions do not stall the
     * loop.
     */
    static final long BURST_NANOS = NANOS / 10;

    private final long bytesPerSecond;
    private long paidUntil;

    InflateRate(long bytesPerSecond, long nowNanos) {
        this.bytesPerSecond = bytesPerSecond;
        paidUntil = nowNanos - BURST_NANOS;
    }

    /** Charges these bytes; returns the time in nanoseconds until the next message may be inflated, 0 for at once. */
    long charge(int bytes, long nowNanos) {
        paidUntil = Math.max(paidUntil, nowNanos - BURST_NANOS) + nanos(bytes);
        return Math.max(0, paidUntil - nowNanos);
    }

    private long nanos(int bytes) {
        return (long) ((double) bytes * NANOS / bytesPerSecond);
    }
}
