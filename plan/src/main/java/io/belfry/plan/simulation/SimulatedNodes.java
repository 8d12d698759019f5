package io.belfry.plan.simulation;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

/** Tracks the sessions of all nodes, which nodes have failed, and which exceeded a limit. Owner: the simulation. */
final class SimulatedNodes {
    private final SimulationScenario scenario;
    private final double[] weights;
    private final long[] sessions;
    private final BitSet failed = new BitSet();
    private final BitSet overSessions = new BitSet();
    private final BitSet overAccepts = new BitSet();
    private int[] remaining;
    private double[] remainingWeights;
    private double failedWeight;
    private double peakAccepts;

    SimulatedNodes(SimulationScenario scenario) {
        this.scenario = scenario;
        weights = scenario.weights().toArray();
        sessions = new long[weights.length];
        remaining = IntStream.range(0, weights.length).toArray();
        remainingWeights = weights;
    }

    /** Distributes all sessions over the nodes. */
    void place(BinomialSampler sampler) {
        System.arraycopy(sampler.share(scenario.sessions(), weights), 0, sessions, 0, sessions.length);
        for (int i = 0; i < sessions.length; i++) {
            overSessions.set(i, sessions[i] > sessionsMax(i));
        }
    }

    private double sessionsMax(int node) {
        return scenario.limits().sessions() * weights[node];
    }

    /** Marks a node as failed: it accepts no more sessions. */
    void fail(int node) {
        failed.set(node);
        failedWeight += weights[node];
        remaining =
                IntStream.range(0, weights.length).filter(i -> !failed.get(i)).toArray();
        remainingWeights = Arrays.stream(remaining).mapToDouble(i -> weights[i]).toArray();
    }

    /** Removes up to this many sessions from a node; returns how many. */
    long remove(int node, long count) {
        long leaving = Math.min(count, sessions[node]);
        sessions[node] -= leaving;
        return leaving;
    }

    /** Returns the probability that a client that avoids this many failed nodes tries another failed one. */
    double failedShare(int known) {
        int count = failed.cardinality();
        if (count == 0) {
            return 0;
        }
        double avoidedWeight = Math.min(known, count) * failedWeight / count;
        double all = scenario.weights().sum() - avoidedWeight;
        return all <= 0 ? 0 : (failedWeight - avoidedWeight) / all;
    }

    /** Lets each new session try one of the remaining nodes; returns how many were refused. */
    long accept(long count, BinomialSampler sampler, long step) {
        long[] shares = sampler.share(count, remainingWeights);
        long refused = 0;
        for (int i = 0; i < shares.length; i++) {
            if (shares[i] > 0) {
                refused += accept(remaining[i], shares[i], step);
            }
        }
        return refused;
    }

    private long accept(int node, long count, long step) {
        double seconds = SimulationScenario.STEP_SECONDS;
        peakAccepts = Math.max(peakAccepts, count / seconds / weights[node]);
        long quota = quota(node, step, seconds);
        long room = (long) Math.max(0, sessionsMax(node) - sessions[node]);
        if (count > quota) {
            overAccepts.set(node);
        }
        if (Math.min(count, quota) > room) {
            overSessions.set(node);
        }
        long taken = Math.min(count, Math.min(quota, room));
        sessions[node] += taken;
        return count - taken;
    }

    /** Returns the accepts of this step: whole numbers that add up to the limit over several steps. */
    private long quota(int node, long step, double seconds) {
        double each = scenario.limits().accepts() * weights[node] * seconds;
        return (long) (Math.floor(each * (step + 1)) - Math.floor(each * step));
    }

    long sessionsOf(int node) {
        return sessions[node];
    }

    /** Returns the peak accepts per second of any node since the last call, for weight 1. */
    double takePeakAccepts() {
        double peak = peakAccepts;
        peakAccepts = 0;
        return peak;
    }

    int overSessions() {
        return overSessions.cardinality();
    }

    int overAccepts() {
        return overAccepts.cardinality();
    }

    /** Returns the sessions of the remaining nodes per unit of weight. */
    SimulationResult.Fill fill() {
        double least = Double.MAX_VALUE;
        double most = 0;
        double all = 0;
        for (int node : remaining) {
            double each = sessions[node] / weights[node];
            least = Math.min(least, each);
            most = Math.max(most, each);
            all += sessions[node];
        }
        return new SimulationResult.Fill(
                least, all / Arrays.stream(remainingWeights).sum(), most);
    }
}
