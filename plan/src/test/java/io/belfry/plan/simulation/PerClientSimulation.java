package io.belfry.plan.simulation;

import io.belfry.client.ReconnectPolicy;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * The reference for the simulation by counts: simulates every client. Each client draws its pauses from the Java client's
 * policy, avoids nodes that failed it, and chooses among the others by weight. Times are exact; limits apply per step.
 */
final class PerClientSimulation {
    private record Try(double at, int client) {}

    private final double[] weights;
    private final int failing;
    private final SimulationScenario.Limits limits;
    private final double retryAfter;
    private final SplittableRandom random;
    private final int[] attempts;
    private final Map<Integer, Map<Integer, Double>> aside = new HashMap<>();
    private final long[] sessions;
    private final Map<Long, Integer> came = new HashMap<>();
    private final PriorityQueue<Try> tries = new PriorityQueue<>(Comparator.comparingDouble(Try::at));

    long refused;
    long deadEnds;
    double peakAccepts;
    double lastBack;
    double halfBack;
    double nearlyAllBack;
    long lost;

    PerClientSimulation(
            int clients,
            NodeWeights weights,
            int failing,
            SimulationScenario.Limits limits,
            double retryAfter,
            long seed) {
        this.weights = weights.toArray();
        this.failing = failing;
        this.limits = limits;
        this.retryAfter = retryAfter;
        random = new SplittableRandom(seed);
        attempts = new int[clients];
        sessions = new long[this.weights.length];
    }

    /** The first {@code failing} nodes fail at time 0. */
    void run() {
        for (int client = 0; client < attempts.length; client++) {
            int node = choose(client, -1);
            if (node < failing) {
                lost++;
                fail(client, node, 0, 0);
            } else {
                sessions[node]++;
            }
        }
        long back = 0;
        while (!tries.isEmpty()) {
            Try next = tries.poll();
            if (tryAt(next)) {
                back++;
                // The simulation records times at the end of a step.
                double seen = Math.ceil(next.at / 0.1) * 0.1;
                lastBack = seen;
                halfBack = back * 2 >= lost && halfBack == 0 ? seen : halfBack;
                nearlyAllBack = back >= lost * 0.99 && nearlyAllBack == 0 ? seen : nearlyAllBack;
            }
        }
    }

    long most() {
        long most = 0;
        for (long each : sessions) {
            most = Math.max(most, each);
        }
        return most;
    }

    private boolean tryAt(Try next) {
        int node = choose(next.client, next.at);
        if (node < failing) {
            deadEnds++;
            fail(next.client, node, next.at, 0);
            return false;
        }
        long step = (long) (next.at / 0.1);
        int newcomers = came.merge(step * weights.length + node, 1, Integer::sum);
        peakAccepts = Math.max(peakAccepts, newcomers / 0.1);
        if (newcomers > limits.accepts() * weights[node] * 0.1 || sessions[node] >= limits.sessions() * weights[node]) {
            refused++;
            fail(next.client, node, next.at, retryAfter);
            return false;
        }
        sessions[node]++;
        return true;
    }

    private void fail(int client, int node, double now, double least) {
        aside.computeIfAbsent(client, any -> new HashMap<>()).put(node, now + 30);
        ReconnectPolicy policy = ReconnectPolicy.DEFAULT;
        int attempt = least > 0 ? Math.max(attempts[client], policy.quickAttempts()) : attempts[client];
        attempts[client] = attempt + 1;
        tries.add(new Try(now + least + policy.pauseMillis(attempt, random) / 1000.0, client));
    }

    private int choose(int client, double now) {
        Map<Integer, Double> mine = aside.getOrDefault(client, Map.of());
        double sum = 0;
        for (int i = 0; i < weights.length; i++) {
            sum += mine.getOrDefault(i, -1.0) > now ? 0 : weights[i];
        }
        double pick = random.nextDouble() * sum;
        for (int i = 0; i < weights.length; i++) {
            pick -= mine.getOrDefault(i, -1.0) > now ? 0 : weights[i];
            if (pick < 0) {
                return i;
            }
        }
        throw new IllegalStateException("no node left");
    }
}
