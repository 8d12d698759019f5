package io.belfry.plan.simulation;

import io.belfry.plan.simulation.SimulationResult.Back;
import io.belfry.plan.simulation.SimulationResult.Moment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Distributes sessions over nodes, lets nodes fail, and follows the affected sessions until they have reconnected. Owner:
 * its caller; one instance per run.
 *
 * <p>The simulation does not track single clients. For all attempts of a step it draws how many meet a failed node and how
 * the others spread over the remaining nodes. A node accepts what its limits allow and refuses the rest; refused clients
 * try again at another node, as the Java client does. Simplifications: clients do not avoid a node that refused them, which
 * matters little with thousands of nodes; a node that a client avoids stays avoided, although the Java client tries it again
 * after half a minute; a connection takes no time; a client learns of a refusal at the end of the step.
 */
public final class Simulation {
    /** A draining node requests reconnect times below this. */
    private static final double DRAIN_SPREAD_SECONDS = 1;

    private static final double STEP_SECONDS = SimulationScenario.STEP_SECONDS;

    /** Times of the recorded moments in seconds; after the last one only the end is recorded. */
    private static final double[] MOMENTS = {0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600};

    private static final double ROUNDING = 1e-9;

    /** Shares of the sessions that lose their node; the time at which so many are back is recorded. */
    private static final double[] SHARES = {0.5, 0.99, 1};

    private final SimulationScenario scenario;
    private final SimulationScenario.Times times;
    private final BinomialSampler sampler;
    private final SimulatedNodes nodes;
    private final PendingReconnects pending;
    private final int[] failing;
    private final long[] drained;
    private final double[] backAfterSeconds = new double[SHARES.length];
    private final List<Moment> moments = new ArrayList<>();
    private int nextMoment;
    private long refusedBefore;
    private long backBefore;
    private long lost;
    private long back;
    private long refused;
    private long deadEnds;
    private int begun;

    private Simulation(SimulationScenario scenario) {
        this.scenario = scenario;
        times = scenario.times();
        sampler = new BinomialSampler(scenario.seed());
        failing = anyOf(scenario.weights().nodes(), scenario.failing());
        nodes = new SimulatedNodes(scenario, sampler);
        pending = new PendingReconnects(scenario, sampler);
        drained = new long[failing.length];
        Arrays.fill(backAfterSeconds, Double.POSITIVE_INFINITY);
    }

    /** Returns distinct random numbers below {@code all}. */
    private int[] anyOf(int all, int count) {
        int[] order = IntStream.range(0, all).toArray();
        for (int i = 0; i < count; i++) {
            int other = i + sampler.below(all - i);
            int chosen = order[other];
            order[other] = order[i];
            order[i] = chosen;
        }
        return Arrays.copyOf(order, count);
    }

    /** Runs a scenario to its end. */
    public static SimulationResult run(SimulationScenario scenario) {
        return new Simulation(scenario).run();
    }

    private SimulationResult run() {
        SimulationResult.Fill placed = nodes.fill();
        long expected = IntStream.of(failing).mapToLong(nodes::sessionsOf).sum();
        long steps = (long) Math.ceil(times.untilSeconds() / STEP_SECONDS);
        long step = 0;
        while (step < steps && !isOver(step)) {
            begin(step);
            drain(step);
            arrive(step);
            step++;
            recordStep(step * STEP_SECONDS, expected, step == steps || isOver(step));
        }
        Back backAfter = new Back(backAfterSeconds[0], backAfterSeconds[1], backAfterSeconds[2]);
        int overAccepts = nodes.overAccepts.cardinality();
        int overSessions = nodes.overSessions.cardinality();
        return new SimulationResult(
                placed, nodes.fill(), lost, deadEnds, overAccepts, overSessions, backAfter, List.copyOf(moments));
    }

    /**
     * Records the counts at the end of a step.
     *
     * @param expected number of sessions that will lose their node
     * @param last whether the run ends with this step
     */
    private void recordStep(double seconds, long expected, boolean last) {
        for (int i = 0; i < SHARES.length; i++) {
            if (back >= Math.ceil(expected * SHARES[i])) {
                backAfterSeconds[i] = Math.min(backAfterSeconds[i], seconds);
            }
        }
        boolean due = last;
        while (nextMoment < MOMENTS.length && MOMENTS[nextMoment] <= seconds + ROUNDING) {
            nextMoment++;
            due = true;
        }
        if (due) {
            double peak = nodes.takePeakAccepts();
            moments.add(new Moment(seconds, away(), back - backBefore, refused - refusedBefore, peak));
            backBefore = back;
            refusedBefore = refused;
        }
    }

    private long away() {
        return lost - back;
    }

    private boolean isOver(long step) {
        return step > 0 && begun == failing.length && away() == 0 && drainedAll();
    }

    private boolean drainedAll() {
        return scenario.ending() != SimulationScenario.Ending.DRAIN
                || IntStream.of(failing).allMatch(node -> nodes.sessionsOf(node) == 0);
    }

    /** Fails the nodes whose wave is due. */
    private void begin(long step) {
        while (begun < failing.length && step * STEP_SECONDS >= waveOf(begun) * times.waveSeconds()) {
            int node = failing[begun];
            drained[begun] = nodes.sessionsOf(node);
            nodes.fail(node);
            if (scenario.ending() != SimulationScenario.Ending.DRAIN) {
                nodes.remove(node, drained[begun]);
                lost += drained[begun];
                noticed(drained[begun], step);
            }
            begun++;
        }
    }

    private int waveOf(int order) {
        return (int) ((long) order * scenario.waves() / failing.length);
    }

    private void noticed(long gone, long step) {
        if (scenario.ending() == SimulationScenario.Ending.SILENT) {
            // The last ping arrived within one interval; a client gives up after two without any.
            pending.silent(gone, (double) step, times.pingSeconds());
        } else {
            pending.retry(gone, (double) step, 0, 1, 0);
        }
    }

    /** Drains as the server does: each step fewer sessions may stay, and each session gets its own time to reconnect. */
    private void drain(long step) {
        if (scenario.ending() != SimulationScenario.Ending.DRAIN) {
            return;
        }
        for (int i = 0; i < begun; i++) {
            double since = (step + 1) * STEP_SECONDS - waveOf(i) * times.waveSeconds();
            double left = 1 - Math.min(1, since / times.drainSeconds());
            long leaving = nodes.sessionsOf(failing[i]) - (long) (drained[i] * left);
            if (leaving > 0) {
                nodes.remove(failing[i], leaving);
                lost += leaving;
                pending.drained(leaving, (double) step, DRAIN_SPREAD_SECONDS);
            }
        }
    }

    private void arrive(long step) {
        long[] there = new long[pending.kinds];
        long all = 0;
        // A client that meets a failed node may try another one within the same step.
        while (pending.isDue(step)) {
            long[] trying = pending.take(step);
            for (int kind = 0; kind < trying.length; kind++) {
                long wrong = sampler.binomial(trying[kind], nodes.failedShare(PendingReconnects.known(kind)));
                deadEnd(wrong, step + 0.5, kind);
                there[kind] += trying[kind] - wrong;
                all += trying[kind] - wrong;
            }
        }
        long turnedAway = nodes.accept(all, sampler, step);
        back += all - turnedAway;
        refused += turnedAway;
        retryRefused(there, all, turnedAway, step);
    }

    private void deadEnd(long count, double now, int kind) {
        deadEnds += count;
        // A draining node refuses with a Retry-After, which does not delay attempts at other nodes.
        boolean timesOut = scenario.ending() == SimulationScenario.Ending.SILENT;
        double wait = timesOut ? PendingReconnects.CONNECT_TIMEOUT_SECONDS : 0;
        pending.retry(count, now, PendingReconnects.attempt(kind), PendingReconnects.known(kind) + 1, wait);
    }

    /** A refusal does not depend on the kind of client, so refusals are shared out in proportion. */
    private void retryRefused(long[] there, long all, long turnedAway, long step) {
        long left = all;
        long refusedLeft = turnedAway;
        for (int kind = 0; kind < there.length && refusedLeft > 0; kind++) {
            long mine = there[kind] == left
                    ? refusedLeft
                    : Math.min(there[kind], Math.round((double) refusedLeft * there[kind] / left));
            pending.refused(mine, step + 1.0, kind, times.retryAfterSeconds());
            left -= there[kind];
            refusedLeft -= mine;
        }
    }
}
