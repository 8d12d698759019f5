package io.belfry.plan.simulation;

import java.util.ArrayList;
import java.util.List;

/** Records when sessions were back, and a moment of the run at fixed times. Owner: the simulation. */
final class SimulationProgress {
    /** Times of the recorded moments in seconds; after the last one only the end is recorded. */
    private static final double[] MOMENTS = {0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600};

    private static final double[] SHARES = {0.5, 0.99, 1};
    private static final double ROUNDING = 1e-9;

    private final SimulatedNodes nodes;
    private final long expected;
    private final List<SimulationResult.Moment> moments = new ArrayList<>();
    private final double[] reached = {Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY};
    private int nextMoment;
    private long lastBack;
    private long lastRefused;

    /** @param expected number of sessions that will lose their node */
    SimulationProgress(SimulatedNodes nodes, long expected) {
        this.nodes = nodes;
        this.expected = expected;
    }

    /** Records the counts at the end of a step; {@code last}: the run ends with it. */
    void after(double seconds, long away, long back, long refused, boolean last) {
        for (int i = 0; i < SHARES.length; i++) {
            if (back >= Math.ceil(expected * SHARES[i])) {
                reached[i] = Math.min(reached[i], seconds);
            }
        }
        boolean due = last;
        while (nextMoment < MOMENTS.length && MOMENTS[nextMoment] <= seconds + ROUNDING) {
            nextMoment++;
            due = true;
        }
        if (due) {
            moments.add(new SimulationResult.Moment(
                    seconds, away, back - lastBack, refused - lastRefused, nodes.takePeakAccepts()));
            lastBack = back;
            lastRefused = refused;
        }
    }

    SimulationResult.Back back() {
        return new SimulationResult.Back(reached[0], reached[1], reached[2]);
    }

    List<SimulationResult.Moment> moments() {
        return List.copyOf(moments);
    }
}
