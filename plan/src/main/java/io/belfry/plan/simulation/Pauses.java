package io.belfry.plan.simulation;

import io.belfry.client.ReconnectPolicy;
import java.time.Duration;

/**
 * How long a client waits before each attempt: evenly anywhere from nothing to a bound that grows. The bounds are those
 * of the Java client, asked of its own policy. Immutable.
 */
public final class Pauses {
    /** Of a stream of random numbers this has the largest in it, so that a pause drawn with it is the bound. */
    private static final java.util.random.RandomGenerator LARGEST = () -> -1L;

    private static final int ATTEMPTS_MAX = 64;

    private final double[] boundSeconds;
    private final int quickAttempts;

    private Pauses(ReconnectPolicy policy) {
        int attempts = 1;
        while (attempts < ATTEMPTS_MAX
                && policy.pauseMillis(attempts - 1, LARGEST)
                        < policy.longestPause().toMillis()) {
            attempts++;
        }
        quickAttempts = policy.quickAttempts();
        boundSeconds = new double[attempts];
        for (int i = 0; i < attempts; i++) {
            boundSeconds[i] = policy.pauseMillis(i, LARGEST) / 1000.0;
        }
    }

    public static Pauses of(ReconnectPolicy policy) {
        return new Pauses(policy);
    }

    /** The Java client's, with its quick attempts spread over this time; 0 is the herd that a client must not be. */
    public static Pauses spreadOver(double seconds) {
        ReconnectPolicy usual = ReconnectPolicy.DEFAULT;
        Duration quick = Duration.ofMillis(Math.round(seconds * 1000));
        if (quick.isZero()) {
            return new Pauses(usual).none();
        }
        Duration first = quick.compareTo(usual.firstPause()) > 0 ? quick : usual.firstPause();
        Duration longest = first.compareTo(usual.longestPause()) > 0 ? first : usual.longestPause();
        return new Pauses(new ReconnectPolicy(
                usual.quickAttempts(), quick, first, longest, usual.stableAfter(), usual.avoidFailedFor()));
    }

    private Pauses none() {
        java.util.Arrays.fill(boundSeconds, 0);
        return this;
    }

    /** Attempts that differ; the last one's bound is that of all later ones. */
    int attempts() {
        return boundSeconds.length;
    }

    int quickAttempts() {
        return quickAttempts;
    }

    double boundSeconds(int attempt) {
        return boundSeconds[Math.min(attempt, boundSeconds.length - 1)];
    }

    /** What the clients of a lost server spread over. */
    public double firstSeconds() {
        return boundSeconds[0];
    }
}
