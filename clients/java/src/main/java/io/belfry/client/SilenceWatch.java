package io.belfry.client;

import java.util.concurrent.TimeUnit;

/**
 * Decides from the times of reads whether a server is silent. After one ping interval without a read the server is
 * pinged, after two it is considered dead. A look that is late by more than two intervals, or by a minute, means that the
 * device slept: the server is then asked first, and has a short time to answer. Owner: the client's loop.
 */
final class SilenceWatch {
    /** Time for the first sign of life after a sleep. */
    static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Lateness that always means a sleep, however long the ping interval is. */
    private static final long SLEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

    enum Verdict {
        FINE,
        PING,
        SILENT
    }

    private long lookedNanos;
    private long sinceNanos;
    private long probedNanos;
    private boolean pinged;
    private boolean probing;

    /** Begins to count silence now: a connection was opened, or reads are not expected. */
    void restart(long nowNanos) {
        lookedNanos = nowNanos;
        sinceNanos = nowNanos;
        pinged = false;
        probing = false;
    }

    /** Called regularly, more often than the ping interval. */
    Verdict look(long nowNanos, long lastReadNanos, long pingNanos) {
        boolean slept = nowNanos - lookedNanos > Math.max(PROBE_NANOS, Math.min(SLEPT_NANOS, 2 * pingNanos));
        lookedNanos = nowNanos;
        if (slept) {
            probe(nowNanos);
            return Verdict.PING;
        }
        if (probing && lastReadNanos - probedNanos <= 0) {
            return nowNanos - probedNanos > PROBE_NANOS ? Verdict.SILENT : Verdict.FINE;
        }
        probing = false;
        return judge(silentNanos(nowNanos, lastReadNanos), pingNanos);
    }

    /** Begins the short time for a sign of life; the caller sends the ping. */
    void probe(long nowNanos) {
        probing = true;
        probedNanos = nowNanos;
        sinceNanos = nowNanos;
    }

    private Verdict judge(long silentNanos, long pingNanos) {
        if (silentNanos > 2 * pingNanos) {
            return Verdict.SILENT;
        }
        boolean ping = silentNanos > pingNanos && !pinged;
        pinged = silentNanos >= pingNanos && (pinged || ping);
        return ping ? Verdict.PING : Verdict.FINE;
    }

    /** Returns the time since the last sign of life. */
    long silentNanos(long nowNanos, long lastReadNanos) {
        return Math.min(nowNanos - lastReadNanos, nowNanos - sinceNanos);
    }
}
