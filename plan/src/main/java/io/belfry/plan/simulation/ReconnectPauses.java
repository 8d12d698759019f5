package io.belfry.plan.simulation;

import io.belfry.client.ReconnectPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * The time that a client waits before each attempt: uniform between 0 and a bound that grows. The bounds are those of the
 * Java client, computed by its own policy. Immutable.
 */
public final class ReconnectPauses {
    /** A generator of the largest random number, for which the policy returns the bound itself. */
    private static final RandomGenerator LARGEST = () -> -1L;

    private static final int ATTEMPTS_MAX = 64;

    private final double[] boundSeconds;

    /** The number of attempts before the pauses grow. */
    final int quickAttempts;

    /** Takes the bounds of a policy. */
    public ReconnectPauses(ReconnectPolicy policy) {
        int attempts = 1;
        while (attempts < ATTEMPTS_MAX
                && policy.pauseMillis(attempts - 1, LARGEST)
                        < policy.longestPause().toMillis()) {
            attempts++;
        }
        quickAttempts = policy.quickAttempts();
        boundSeconds = new double[attempts];
        Arrays.setAll(boundSeconds, attempt -> policy.pauseMillis(attempt, LARGEST) / 1000.0);
    }

    /** Returns the Java client's pauses with quick attempts spread over this time; 0: all attempts come at once. */
    public static ReconnectPauses spreadOver(double seconds) {
        ReconnectPolicy usual = ReconnectPolicy.DEFAULT;
        Duration quick = Duration.ofMillis(Math.round(seconds * 1000));
        if (quick.isZero()) {
            ReconnectPauses none = new ReconnectPauses(usual);
            Arrays.fill(none.boundSeconds, 0);
            return none;
        }
        Duration first = quick.compareTo(usual.firstPause()) > 0 ? quick : usual.firstPause();
        Duration longest = first.compareTo(usual.longestPause()) > 0 ? first : usual.longestPause();
        return new ReconnectPauses(new ReconnectPolicy(
                usual.quickAttempts(), quick, first, longest, usual.stableAfter(), usual.avoidFailedFor()));
    }

    /** Returns the number of different bounds; later attempts have the last one. */
    int attempts() {
        return boundSeconds.length;
    }

    double boundSeconds(int attempt) {
        return boundSeconds[Math.min(attempt, boundSeconds.length - 1)];
    }

    /** Returns the time over which clients of a lost node spread their first attempts. */
    public double firstSeconds() {
        return boundSeconds[0];
    }
}
