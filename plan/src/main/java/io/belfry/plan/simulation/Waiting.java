package io.belfry.plan.simulation;

/**
 * Clients on their way, by the step in which they try next, by how often they have tried, and by how many of the nodes
 * that are gone they know. Owner: the simulation.
 */
final class Waiting {
    /** More of the nodes that are gone than this one client hardly meets. */
    private static final int KNOWN_MAX = 4;

    private final double stepSeconds;
    private final Pauses pauses;
    private final Dice dice;
    private final long[][] due;
    private final int kinds;
    private long all;

    Waiting(Scenario scenario, Dice dice) {
        this.dice = dice;
        stepSeconds = scenario.times().stepSeconds();
        pauses = scenario.pauses();
        Scenario.Times times = scenario.times();
        double longest = pauses.boundSeconds(Integer.MAX_VALUE)
                + Math.max(Math.max(times.retryAfterSeconds(), times.connectSeconds()), 3 * times.pingSeconds());
        kinds = (pauses.attempts() + 1) * (KNOWN_MAX + 1);
        due = new long[(int) Math.ceil(longest / stepSeconds) + 3][kinds];
    }

    int kinds() {
        return kinds;
    }

    static int attempt(int kind) {
        return kind / (KNOWN_MAX + 1);
    }

    static int known(int kind) {
        return kind % (KNOWN_MAX + 1);
    }

    private int kind(int attempt, int known) {
        return Math.min(attempt, pauses.attempts()) * (KNOWN_MAX + 1) + Math.min(known, KNOWN_MAX);
    }

    long all() {
        return all;
    }

    boolean isDue(long step) {
        for (long each : due[(int) (step % due.length)]) {
            if (each > 0) {
                return true;
            }
        }
        return false;
    }

    /** Those who try in this step; they wait no more. */
    long[] take(long step) {
        int slot = (int) (step % due.length);
        long[] now = due[slot];
        due[slot] = new long[kinds];
        for (long each : now) {
            all -= each;
        }
        return now;
    }

    /** A reset connection, an attempt that failed: the pause of this attempt from now. */
    void again(long count, double now, int attempt, int known) {
        againAfter(count, now, attempt, known, 0);
    }

    /** The same, but for a time before the pause begins: that of an attempt nobody answers, or what a refusal asks for. */
    void againAfter(long count, double now, int attempt, int known, double seconds) {
        spread(count, now, seconds, seconds + pauses.boundSeconds(attempt), kind(attempt + 1, known));
    }

    /** Who is asked for time is not who lost a connection: there is nothing quick about the next attempt. */
    void refused(long count, double now, int attempt, int known, double retryAfterSeconds) {
        int counted = retryAfterSeconds > 0 ? Math.max(attempt, pauses.quickAttempts()) : attempt;
        againAfter(count, now, counted, known, retryAfterSeconds);
    }

    /** Their machine is gone without a word: each notices at some time from one to two ping intervals on. */
    void silent(long count, double now, double pingSeconds) {
        spread(count, now, pingSeconds, 2 * pingSeconds + pauses.boundSeconds(0), kind(1, 1));
    }

    /** Told to come back at some time below this, with no attempt behind them. */
    void told(long count, double now, double belowSeconds) {
        spread(count, now, 0, belowSeconds, kind(0, 1));
    }

    /** Evenly over a time that begins with {@code now}, which is counted in steps and lies in one that was not taken. */
    private void spread(long count, double now, double fromSeconds, double toSeconds, int kind) {
        double from = now + fromSeconds / stepSeconds;
        double to = now + toSeconds / stepSeconds;
        long left = count;
        for (long at = (long) Math.floor(from); left > 0; at++) {
            double begin = Math.max(from, (double) at);
            double part = at + 1 >= to ? 1 : (at + 1 - begin) / (to - begin);
            long here = dice.binomial(left, part);
            due[(int) (at % due.length)][kind] += here;
            all += here;
            left -= here;
        }
    }
}
