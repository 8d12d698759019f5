package io.belfry.server.monitor;

import io.belfry.server.counter.Counter;

/** Growth per second of the most important counters over one interval. Immutable. */
public record Rates(
        double sessionsOpened,
        double sessionsClosed,
        double publishesIn,
        double messagesOut,
        double bytesIn,
        double bytesOut) {

    static Rates between(Tally before, Tally after, long elapsedNanos) {
        double seconds = Math.max(1, elapsedNanos) / 1e9;
        return new Rates(
                perSecond(Counter.SESSIONS_OPENED, before, after, seconds),
                perSecond(Counter.SESSIONS_CLOSED, before, after, seconds),
                perSecond(Counter.PUBLISHES_IN, before, after, seconds),
                perSecond(Counter.MESSAGES_OUT, before, after, seconds),
                perSecond(Counter.BYTES_IN, before, after, seconds),
                perSecond(Counter.BYTES_OUT, before, after, seconds));
    }

    private static double perSecond(Counter counter, Tally before, Tally after, double seconds) {
        return (after.value(counter) - before.value(counter)) / seconds;
    }
}
