package io.belfry.plan.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.plan.simulation.Outcome;
import io.belfry.plan.simulation.Scenario;
import java.util.Locale;

/** A simulated run as JSON; what never came to be is null. Pure. */
public final class SimulationJson {
    private static final int FORMAT = 1;

    private SimulationJson() {}

    public static String of(Scenario scenario, String source, Outcome outcome) {
        ObjectNode root = PlanJson.object().put("format", FORMAT).put("kind", "simulation");
        root.put("verdict", outcome.held() ? "held" : "exceeded");
        ArrayNode faults = root.putArray("faults");
        outcome.faults().forEach(faults::add);
        root.putObject("question")
                .put("sessions", scenario.sessions())
                .put("nodes", scenario.weights().nodes())
                .put("failing", scenario.failing())
                .put("ending", scenario.ending().name().toLowerCase(Locale.ROOT))
                .put("waves", scenario.waves())
                .put("jitterSeconds", scenario.pauses().firstSeconds())
                .put("sessionsLimit", scenario.limits().sessions())
                .put("acceptsLimit", scenario.limits().accepts())
                .put("limitsFrom", source)
                .put("seed", scenario.seed());
        fill(root.putObject("placed"), outcome.placed());
        fill(root.putObject("after"), outcome.after());
        root.put("lost", outcome.lost())
                .put("peakAcceptsPerSecond", outcome.peakAccepts())
                .put("refused", outcome.refused())
                .put("deadEnds", outcome.deadEnds())
                .put("nodesWithTooManyNewcomers", outcome.tooQuick())
                .put("nodesTooFull", outcome.tooFull())
                .put("away", outcome.away());
        ObjectNode back = root.putObject("backAfterSeconds");
        seconds(back, "half", outcome.back().half());
        seconds(back, "99", outcome.back().nearlyAll());
        seconds(back, "all", outcome.back().all());
        ArrayNode moments = root.putArray("moments");
        for (Outcome.Moment moment : outcome.moments()) {
            moments.addObject()
                    .put("second", moment.seconds())
                    .put("away", moment.away())
                    .put("back", moment.back())
                    .put("refused", moment.refused())
                    .put("peakAcceptsPerSecond", moment.peakAccepts());
        }
        return PlanJson.text(root);
    }

    private static void fill(ObjectNode node, Outcome.Fill fill) {
        node.put("least", fill.least()).put("mean", fill.mean()).put("most", fill.most());
    }

    private static void seconds(ObjectNode node, String name, double seconds) {
        if (Double.isInfinite(seconds)) {
            node.putNull(name);
        } else {
            node.put(name, seconds);
        }
    }
}
