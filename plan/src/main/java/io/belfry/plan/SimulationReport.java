package io.belfry.plan;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.plan.model.Unit;
import io.belfry.plan.simulation.SimulationResult;
import io.belfry.plan.simulation.SimulationResult.Back;
import io.belfry.plan.simulation.SimulationResult.Fill;
import io.belfry.plan.simulation.SimulationScenario;
import io.belfry.plan.simulation.SimulationScenario.Limits;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A simulation as text and as JSON. Immutable.
 *
 * @param source origin of the limits
 */
record SimulationReport(SimulationScenario scenario, String source, SimulationResult result) {
    /** Returns the simulation as text. */
    String text() {
        ReportText out = new ReportText();
        out.line(
                "%,d sessions on %,d nodes; %s; seed %d",
                scenario.sessions(), scenario.weights().nodes(), failures(), scenario.seed());
        Limits limits = scenario.limits();
        String jitter = Unit.SECONDS.show(scenario.pauses().firstSeconds());
        out.line(
                "clients reconnect within %s at first; a node takes %,d sessions and %,.0f new sessions/s (%s)",
                jitter, limits.sessions(), limits.accepts(), source);
        out.line("");
        out.line("%-36s %12s %12s %12s %7s", "sessions per node", "least", "mean", "most", "used");
        fill(out, "before", result.placed());
        fill(out, "after, on the remaining nodes", result.after());
        out.line("");
        out.line("%9s %15s %15s %15s %22s", "second", "away", "reconnected", "refused", "most accepts/s, node");
        for (SimulationResult.Moment moment : result.moments()) {
            out.line(
                    "%9.1f %,15d %,15d %,15d %,22.0f",
                    moment.second(), moment.away(), moment.back(), moment.refused(), moment.peakAcceptsPerSecond());
        }
        out.line("");
        Back back = result.back();
        out.line(
                "%,d sessions lost their node; reconnected: half %s, 99 %% %s, all %s",
                result.lost(), seconds(back.half()), seconds(back.nearlyAll()), seconds(back.all()));
        String step = Unit.SECONDS.show(SimulationScenario.STEP_SECONDS);
        double used = 100.0 * result.peakAccepts() / limits.accepts();
        out.line(
                "most accepts/s on a node, over %s: %,.0f, %.0f%% of its limit; refused %,d, attempts at lost nodes %,d",
                step, result.peakAccepts(), used, result.refused(), result.deadEnds());
        String faults = String.join("; ", result.faults());
        out.line("%s", result.held() ? "HELD: no node exceeded its limits" : "EXCEEDED: " + faults);
        return out.text();
    }

    private String failures() {
        String how = switch (scenario.ending()) {
            case KILL -> "killed";
            case SILENT -> "lost silently";
            case DRAIN -> "drained over " + Unit.SECONDS.show(scenario.times().drainSeconds());
        };
        String every = Unit.SECONDS.show(scenario.times().waveSeconds());
        String waves = scenario.waves() == 1 ? "at once" : "in " + scenario.waves() + " waves, every " + every;
        return ReportText.format("%,d %s %s", scenario.failing(), how, waves);
    }

    private void fill(ReportText out, String name, Fill fill) {
        double used = 100.0 * fill.most() / scenario.limits().sessions();
        out.line("%-36s %,12.0f %,12.0f %,12.0f %6.1f%%", name, fill.least(), fill.mean(), fill.most(), used);
    }

    private static String seconds(double seconds) {
        return Double.isInfinite(seconds) ? "never" : ReportText.format("after %.1f s", seconds);
    }

    /** Returns the simulation as JSON; times that were never reached are null. */
    String json() {
        ObjectNode root = ReportText.json("simulation").put("verdict", result.held() ? "held" : "exceeded");
        root.putPOJO("faults", result.faults());
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
        root.putPOJO("placed", result.placed())
                .putPOJO("after", result.after())
                .put("lost", result.lost())
                .put("peakAcceptsPerSecond", result.peakAccepts())
                .put("refused", result.refused())
                .put("deadEnds", result.deadEnds())
                .put("nodesWithTooManyNewcomers", result.overAccepts())
                .put("nodesTooFull", result.overSessions())
                .put("away", result.away());
        root.putObject("backAfterSeconds")
                .put("half", finiteOrNull(result.back().half()))
                .put("99", finiteOrNull(result.back().nearlyAll()))
                .put("all", finiteOrNull(result.back().all()));
        return root.putPOJO("moments", result.moments()).toPrettyString();
    }

    private static @Nullable Double finiteOrNull(double seconds) {
        return Double.isInfinite(seconds) ? null : Double.valueOf(seconds);
    }
}
