package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Require;

/**
 * The schedule of an open loop: the intended send time of each message, fixed in advance. A publisher that falls behind
 * sends late messages with their intended times. Owner: one loop.
 *
 * <p>Messages are sent in bursts (usually of one) at even intervals. Times are rounded up to ticks, so that the messages
 * of one tick can be sent together without any of them being late.
 */
public final class Pacer {
    private static final double NANOS = 1e9;

    private final double nanosBetweenBursts;
    private final int burst;
    private final long tickNanos;

    private long startNanos;
    private long sent;
    private long intendedNanos;

    /** {@code perSecond} messages per second in bursts of {@code burst}, with times rounded up to {@code tickNanos}. */
    public Pacer(double perSecond, int burst, long tickNanos) {
        boolean valid = perSecond > 0 && burst >= 1 && tickNanos >= 1;
        Require.that(valid, perSecond + "/s in bursts of " + burst + " at ticks of " + tickNanos + " ns");
        this.nanosBetweenBursts = NANOS * burst / perSecond;
        this.burst = burst;
        this.tickNanos = tickNanos;
    }

    /** Starts the schedule; the first message is due one interval after {@code nowNanos}. */
    public void start(long nowNanos) {
        startNanos = nowNanos;
        sent = 0;
        schedule();
    }

    /** The intended send time of the next message. */
    public long intendedNanos() {
        return intendedNanos;
    }

    /** Moves on to the next message. */
    public void advance() {
        sent++;
        if (sent % burst == 0) {
            schedule();
        }
    }

    /** Computed from the start each time, so that rounding errors do not accumulate. */
    private void schedule() {
        double exact = (sent / burst + 1) * nanosBetweenBursts;
        intendedNanos = startNanos + (long) Math.ceil(exact / tickNanos) * tickNanos;
    }
}
