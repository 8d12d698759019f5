package io.belfry.plan.simulation;

import java.util.Arrays;
import java.util.BitSet;
import java.util.DoubleSummaryStatistics;
import java.util.stream.IntStream;

/** Tracks the sessions of all nodes, which nodes have failed, and which exceeded a limit. Owner: the simulation. */
final class SimulatedNodes {
    private final SimulationScenario scenario;
    private final double[] weights;
    private final long[] sessions;
    private final BitSet failed = new BitSet();

    /** The nodes that would have exceeded their session limit. */
    final BitSet overSessions = new BitSet();

    /** The nodes that got more new sessions in a step than their limit. */
    final BitSet overAccepts = new BitSet();

    private int[] remaining;
    private double[] remainingWeights;
    private double failedWeight;
    private double peakAccepts;

    /** Distributes all sessions over the nodes. */
    SimulatedNodes(SimulationScenario scenario, BinomialSampler sampler) {
        this.scenario = scenario;
        weights = scenario.weights().toArray();
        sessions = sampler.share(scenario.sessions(), weights);
        remaining = IntStream.range(0, weights.length).toArray();
        remainingWeights = weights;
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

    /** Removes some of the sessions of a node. */
    void remove(int node, long count) {
        sessions[node] -= count;
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

    /** Returns the sessions of the remaining nodes per unit of weight. */
    SimulationResult.Fill fill() {
        DoubleSummaryStatistics each = IntStream.of(remaining)
                .mapToDouble(node -> sessions[node] / weights[node])
                .summaryStatistics();
        double all = IntStream.of(remaining).mapToLong(node -> sessions[node]).sum();
        double mean = all / Arrays.stream(remainingWeights).sum();
        return new SimulationResult.Fill(each.getMin(), mean, each.getMax());
    }
}
