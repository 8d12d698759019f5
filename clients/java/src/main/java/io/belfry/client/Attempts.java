package io.belfry.client;

import io.belfry.client.connection.Ending;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Counts the attempts to connect and draws the pauses between them. Owner: the client's loop. */
final class Attempts {
    private final ReconnectPolicy policy;
    private final RandomGenerator random;
    private int count;
    private long notBeforeNanos;

    Attempts(ReconnectPolicy policy, RandomGenerator random) {
        this.policy = policy;
        this.random = random;
    }

    /** Returns the number of the current attempt; 0 is the first after the last stable connection. */
    int count() {
        return count;
    }

    void reset() {
        count = 0;
    }

    /**
     * Returns the pause in ms after a connection or an attempt that ended.
     *
     * @param leaves whether the next attempt concerns another server, which did not ask the client to wait
     * @param announcedMillis pause that the server announced before it ended the connection, or -1
     */
    long pauseMillis(Ending ending, boolean leaves, long announcedMillis, long nowNanos) {
        if (announcedMillis >= 0) {
            notBefore(announcedMillis, nowNanos);
            return announcedMillis;
        }
        boolean refusedToken = Refusals.isAboutToken(ending);
        long asked = leaves ? 0 : ending.retryAfterMillis();
        // A rejected token needs time to be replaced, and a server that asks clients to wait is overloaded: neither is
        // retried as quickly as a lost connection.
        int counted = refusedToken || asked > 0 ? Math.max(count, policy.quickAttempts()) : count;
        count = counted + 1;
        long pause = policy.pauseMillis(counted, random);
        long floor = refusedToken ? policy.firstPause().toMillis() : 0;
        notBefore(Math.max(asked, floor), nowNanos);
        // Clients that were rejected together got the same time to wait; the random pause of each begins after it.
        return asked + Math.max(pause, floor);
    }

    private void notBefore(long waitMillis, long nowNanos) {
        notBeforeNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(waitMillis);
    }

    /** Returns the time for which a client without patience must still wait. */
    long requiredNanos(long nowNanos) {
        return Math.max(0, notBeforeNanos - nowNanos);
    }
}
