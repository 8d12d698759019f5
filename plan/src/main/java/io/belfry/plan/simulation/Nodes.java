package io.belfry.plan.simulation;

import java.util.Arrays;
import java.util.stream.IntStream;

/** All nodes: what they hold, who is gone, and what was too much for whom. Owner: the simulation. */
final class Nodes {
    private final Scenario scenario;
    private final double[] weights;
    private final long[] sessions;
    private final boolean[] gone;
    private final boolean[] tooFull;
    private final boolean[] tooQuick;
    private final double[] peak;

    private int[] staying;
    private double[] stayingWeights;
    private double goneWeight;
    private int goneCount;

    Nodes(Scenario scenario) {
        this.scenario = scenario;
        weights = scenario.weights().toArray();
        int count = weights.length;
        sessions = new long[count];
        gone = new boolean[count];
        tooFull = new boolean[count];
        tooQuick = new boolean[count];
        peak = new double[count];
        staying = IntStream.range(0, count).toArray();
        stayingWeights = weights;
    }

    void place(Dice dice) {
        System.arraycopy(dice.share(scenario.sessions(), weights), 0, sessions, 0, sessions.length);
        for (int i = 0; i < sessions.length; i++) {
            tooFull[i] = sessions[i] > sessionsMax(i);
        }
    }

    private double sessionsMax(int node) {
        return scenario.limits().sessions() * weights[node];
    }

    /** From here on nobody is let in there. */
    void lose(int node) {
        gone[node] = true;
        goneWeight += weights[node];
        goneCount++;
        staying = IntStream.range(0, weights.length).filter(i -> !gone[i]).toArray();
        stayingWeights = Arrays.stream(staying).mapToDouble(i -> weights[i]).toArray();
    }

    /** Takes so many of its sessions off a node. */
    long leave(int node, long count) {
        long leaving = Math.min(count, sessions[node]);
        sessions[node] -= leaving;
        return leaving;
    }

    /** The chance that a client, which knows so many of those that are gone and leaves them aside, tries another one. */
    double goneShare(int known) {
        if (goneCount == 0) {
            return 0;
        }
        double asideWeight = Math.min(known, goneCount) * goneWeight / goneCount;
        double all = scenario.weights().sum() - asideWeight;
        return all <= 0 ? 0 : (goneWeight - asideWeight) / all;
    }

    /** Each of these newcomers tries one of the nodes that are there; returns how many were refused. */
    long come(long count, Dice dice, long step) {
        long[] shares = dice.share(count, stayingWeights);
        long refused = 0;
        for (int i = 0; i < shares.length; i++) {
            if (shares[i] > 0) {
                refused += come(staying[i], shares[i], step);
            }
        }
        return refused;
    }

    private long come(int node, long count, long step) {
        double seconds = scenario.times().stepSeconds();
        peak[node] = Math.max(peak[node], count / seconds);
        long quota = quota(node, step, seconds);
        long room = (long) Math.max(0, sessionsMax(node) - sessions[node]);
        tooQuick[node] |= count > quota;
        tooFull[node] |= Math.min(count, quota) > room;
        long taken = Math.min(count, Math.min(quota, room));
        sessions[node] += taken;
        return count - taken;
    }

    /** The limit's part of this step, whole newcomers that add up over the steps. */
    private long quota(int node, long step, double seconds) {
        double each = scenario.limits().accepts() * weights[node] * seconds;
        return (long) (Math.floor(each * (step + 1)) - Math.floor(each * step));
    }

    long sessionsOf(int node) {
        return sessions[node];
    }

    boolean isGone(int node) {
        return gone[node];
    }

    /** Since the last call. */
    double[] takePeaks() {
        double[] seen = peak.clone();
        Arrays.fill(peak, 0);
        return seen;
    }

    int tooFull() {
        return count(tooFull);
    }

    int tooQuick() {
        return count(tooQuick);
    }

    private static int count(boolean[] marks) {
        int count = 0;
        for (boolean mark : marks) {
            count += mark ? 1 : 0;
        }
        return count;
    }

    /** Of those that are there, for each unit of weight. */
    Outcome.Fill fill() {
        double least = Double.MAX_VALUE;
        double most = 0;
        double all = 0;
        for (int node : staying) {
            double each = sessions[node] / weights[node];
            least = Math.min(least, each);
            most = Math.max(most, each);
            all += sessions[node];
        }
        return new Outcome.Fill(least, all / Arrays.stream(stayingWeights).sum(), most);
    }
}
