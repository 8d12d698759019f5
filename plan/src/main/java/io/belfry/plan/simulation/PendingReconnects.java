package io.belfry.plan.simulation;

import java.util.Arrays;

/**
 * Counts the clients without a node by the step of their next attempt and by kind. A kind combines the number of attempts so
 * far with the number of failed nodes that the client avoids. Owner: the simulation.
 */
final class PendingReconnects {
    /** A client rarely meets more failed nodes than this. */
    private static final int KNOWN_MAX = 4;

    private static final double STEP_SECONDS = SimulationScenario.STEP_SECONDS;

    /** Time after which a client gives up a connection attempt that gets no response. */
    static final double CONNECT_TIMEOUT_SECONDS = 10;

    private final ReconnectPauses pauses;
    private final BinomialSampler sampler;
    private final long[][] due;

    /** The number of kinds. */
    final int kinds;

    PendingReconnects(SimulationScenario scenario, BinomialSampler sampler) {
        this.sampler = sampler;
        pauses = scenario.pauses();
        SimulationScenario.Times times = scenario.times();
        double wait = Math.max(times.retryAfterSeconds(), CONNECT_TIMEOUT_SECONDS);
        double longest = pauses.boundSeconds(Integer.MAX_VALUE) + Math.max(wait, 3 * times.pingSeconds());
        kinds = (pauses.attempts() + 1) * (KNOWN_MAX + 1);
        due = new long[(int) Math.ceil(longest / STEP_SECONDS) + 3][kinds];
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

    boolean isDue(long step) {
        return Arrays.stream(due[(int) (step % due.length)]).anyMatch(count -> count > 0);
    }

    /** Removes and returns the clients that try in this step, by kind. */
    long[] take(long step) {
        int slot = (int) (step % due.length);
        long[] now = due[slot];
        due[slot] = new long[kinds];
        return now;
    }

    /** Schedules the next attempt after a failed one: after a wait and the pause of the failed attempt. */
    void retry(long count, double now, int attempt, int known, double waitSeconds) {
        spread(count, now, waitSeconds, waitSeconds + pauses.boundSeconds(attempt), kind(attempt + 1, known));
    }

    /** Schedules the next attempt after a refusal. A requested wait ends the quick attempts. */
    void refused(long count, double now, int kind, double retryAfterSeconds) {
        int quick = retryAfterSeconds > 0 ? pauses.quickAttempts : 0;
        retry(count, now, Math.max(attempt(kind), quick), known(kind), retryAfterSeconds);
    }

    /** Schedules clients whose node disappeared: each notices between one and two ping intervals later. */
    void silent(long count, double now, double pingSeconds) {
        spread(count, now, pingSeconds, 2 * pingSeconds + pauses.boundSeconds(0), kind(1, 1));
    }

    /** Schedules clients that a draining node sent away: they reconnect at a uniform time below this, without a pause. */
    void drained(long count, double now, double belowSeconds) {
        spread(count, now, 0, belowSeconds, kind(0, 1));
    }

    /** Spreads clients uniformly over a time from {@code now}, in steps; that step must not have been taken yet. */
    private void spread(long count, double now, double fromSeconds, double toSeconds, int kind) {
        double from = now + fromSeconds / STEP_SECONDS;
        double to = now + toSeconds / STEP_SECONDS;
        long left = count;
        for (long at = (long) Math.floor(from); left > 0; at++) {
            double begin = Math.max(from, (double) at);
            double part = at + 1 >= to ? 1 : (at + 1 - begin) / (to - begin);
            long here = sampler.binomial(left, part);
            due[(int) (at % due.length)][kind] += here;
            left -= here;
        }
    }
}
