package io.belfry.plan.simulation;

import java.util.ArrayList;
import java.util.List;

/** What is seen step by step: when who was back, and a look now and then. Owner: the simulation. */
final class Chronicle {
    /** When there is a look, in seconds; beyond them only at the end. */
    private static final double[] LOOKS = {0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600};

    private static final double NEARLY_ALL = 0.99;
    private static final double SLIGHTLY = 1e-9;

    private final Nodes nodes;
    private final double[] weights;
    private final long expected;
    private final List<Outcome.Moment> moments = new ArrayList<>();
    private double half = Double.POSITIVE_INFINITY;
    private double nearlyAll = Double.POSITIVE_INFINITY;
    private double all = Double.POSITIVE_INFINITY;
    private int nextLook;
    private long lastBack;
    private long lastRefused;
    private double peakSinceLook;
    private double peak;

    /** @param expected how many will lose their node in all */
    Chronicle(Nodes nodes, Scenario scenario, long expected) {
        this.nodes = nodes;
        this.weights = scenario.weights().toArray();
        this.expected = expected;
    }

    void after(double seconds, long away, long back, long refused) {
        double most = 0;
        double[] peaks = nodes.takePeaks();
        for (int i = 0; i < peaks.length; i++) {
            most = Math.max(most, peaks[i] / weights[i]);
        }
        peakSinceLook = Math.max(peakSinceLook, most);
        peak = Math.max(peak, most);
        half = reached(half, seconds, back, 0.5);
        nearlyAll = reached(nearlyAll, seconds, back, NEARLY_ALL);
        all = reached(all, seconds, back, 1);
        if (nextLook < LOOKS.length && seconds + SLIGHTLY >= LOOKS[nextLook]) {
            look(seconds, away, back, refused);
        }
    }

    private double reached(double before, double seconds, long back, double share) {
        return before == Double.POSITIVE_INFINITY && back >= Math.ceil(expected * share) ? seconds : before;
    }

    void look(double seconds, long away, long back, long refused) {
        while (nextLook < LOOKS.length && LOOKS[nextLook] <= seconds + SLIGHTLY) {
            nextLook++;
        }
        if (!moments.isEmpty() && moments.getLast().seconds() == seconds) {
            return;
        }
        moments.add(new Outcome.Moment(seconds, away, back - lastBack, refused - lastRefused, peakSinceLook));
        lastBack = back;
        lastRefused = refused;
        peakSinceLook = 0;
    }

    double peak() {
        return peak;
    }

    Outcome.Back back() {
        return new Outcome.Back(half, nearlyAll, all);
    }

    List<Outcome.Moment> moments() {
        return List.copyOf(moments);
    }
}
