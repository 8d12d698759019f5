package io.belfry.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The pauses between attempts to connect. A few quick attempts are each preceded by a random pause up to {@code
 * quickPause}. For later attempts the upper bound doubles from {@code firstPause} to {@code longestPause}. Pauses are
 * drawn from the whole range, so that clients which lost the same server do not reconnect together. Immutable.
 *
 * @param quickAttempts number of quick attempts
 * @param stableAfter duration after which a connection resets the count of attempts. Shorter connections do not reset
 *     it, or a server that accepts and drops would be retried without pause
 * @param avoidFailedFor time for which a failed server is avoided while others are available
 */
public record ReconnectPolicy(
        int quickAttempts,
        Duration quickPause,
        Duration firstPause,
        Duration longestPause,
        Duration stableAfter,
        Duration avoidFailedFor) {
    /**
     * Default: 3 attempts up to 500 ms each, then up to 1 s, 2 s, 4 s ... 30 s; stable after 10 s; a failed server is
     * avoided for 30 s.
     */
    public static final ReconnectPolicy DEFAULT = new ReconnectPolicy(
            3,
            Duration.ofMillis(500),
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(30));

    private static final int DOUBLINGS_MAX = 30;

    public ReconnectPolicy {
        if (quickAttempts < 0
                || quickPause.isNegative()
                || firstPause.isNegative()
                || longestPause.compareTo(firstPause) < 0
                || longestPause.isZero()) {
            throw new IllegalArgumentException(
                    "pauses must not be negative, and the longest must not be shorter than the first");
        }
    }

    /** Returns the pause before an attempt; attempt 0 is the first after the last stable connection. */
    public long pauseMillis(int attempt, RandomGenerator random) {
        return (long) (random.nextDouble() * (boundMillis(attempt) + 1));
    }

    private long boundMillis(int attempt) {
        if (attempt < quickAttempts) {
            return quickPause.toMillis();
        }
        int doublings = Math.min(attempt - quickAttempts, DOUBLINGS_MAX);
        return Math.min(longestPause.toMillis(), firstPause.toMillis() << doublings);
    }
}
