package io.belfry.benchkit.load;

/**
 * The schedule of an open loop: when each message is meant to be sent, fixed in advance and never moved, so whoever
 * falls behind sends late messages with their true times. Owner: one loop.
 *
 * <p>Messages come in bursts (of one, usually) at even distances. Times are rounded up to ticks, so that the messages of
 * one tick can go out together without any of them being late by design.
 */
public final class Pacer {
    private static final double NANOS = 1e9;

    private final double nanosBetweenBursts;
    private final int burst;
    private final long tickNanos;

    private long startNanos;
    private long sent;
    private long intendedNanos;

    public Pacer(double perSecond, int burst, long tickNanos) {
        if (!(perSecond > 0) || burst < 1 || tickNanos < 1) {
            throw new IllegalArgumentException(
                    perSecond + "/s in bursts of " + burst + " at ticks of " + tickNanos + " ns");
        }
        this.nanosBetweenBursts = NANOS * burst / perSecond;
        this.burst = burst;
        this.tickNanos = tickNanos;
    }

    /** The first message is meant for one distance after {@code nowNanos}. */
    public void start(long nowNanos) {
        startNanos = nowNanos;
        sent = 0;
        schedule();
    }

    /** When the next message is meant to be sent. */
    public long intendedNanos() {
        return intendedNanos;
    }

    /** The next message has been taken care of. */
    public void advance() {
        sent++;
        if (sent % burst == 0) {
            schedule();
        }
    }

    /** Reckoned from the start each time, so errors of rounding do not add up. */
    private void schedule() {
        double exact = (sent / burst + 1) * nanosBetweenBursts;
        intendedNanos = startNanos + (long) Math.ceil(exact / tickNanos) * tickNanos;
    }

    /** How many messages have been taken care of. */
    public long sent() {
        return sent;
    }
}
