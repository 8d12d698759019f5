package io.belfry.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before connecting again. First a few quick attempts, each after a random time up to {@code
 * quickPause}; then each after a random time up to a bound that doubles from {@code firstPause} to {@code longestPause}:
 * whole ranges, so that clients which lost the same server do not come back together. Immutable.
 *
 * @param quickAttempts how many attempts are quick
 * @param stableAfter a connection that stood so long begins the count anew; a shorter one does not, or a server that
 *     accepts and drops would be asked without pause
 * @param avoidFailedFor how long a server that failed is left to the others, while there are others
 */
public record ReconnectPolicy(
        int quickAttempts,
        Duration quickPause,
        Duration firstPause,
        Duration longestPause,
        Duration stableAfter,
        Duration avoidFailedFor) {
    /** 3 attempts up to 500 ms each, then up to 1 s, 2 s, 4 s ... 30 s; stable after 10 s; a failed server avoided 30 s. */
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
            throw new IllegalArgumentException("pauses are not negative, the longest not shorter than the first");
        }
    }

    /** For attempt 0, 1, 2 ... since the last connection that was stable. */
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
