package io.belfry.plan.report;

import io.belfry.plan.coefficient.Unit;
import io.belfry.plan.simulation.Outcome;
import io.belfry.plan.simulation.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A simulated run as lines of text. Pure. */
public final class SimulationText {
    private SimulationText() {}

    /**
     * The run, step by step and in sum.
     *
     * @param source where the limits come from
     */
    public static List<String> of(Scenario scenario, String source, Outcome outcome) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%,d sessions on %,d nodes; %s; seed %d",
                scenario.sessions(),
                scenario.weights().nodes(),
                ends(scenario),
                scenario.seed()));
        lines.add(String.format(
                Locale.ROOT,
                "clients try again within %s at first; a node takes %,d sessions and %,.0f newcomers/s (%s)",
                Unit.SECONDS.show(scenario.pauses().firstSeconds()),
                scenario.limits().sessions(),
                scenario.limits().accepts(),
                source));
        lines.add("");
        lines.add(String.format(
                Locale.ROOT, "%-36s %12s %12s %12s %7s", "sessions a node", "least", "mean", "most", "used"));
        lines.add(fill("before", outcome.placed(), scenario));
        lines.add(fill("afterwards, of those that are left", outcome.after(), scenario));
        lines.add("");
        lines.add(String.format(
                Locale.ROOT,
                "%9s %15s %15s %15s %22s",
                "second",
                "away",
                "come back",
                "refused",
                "most newcomers/s, node"));
        for (Outcome.Moment moment : outcome.moments()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%9.1f %,15d %,15d %,15d %,22.0f",
                    moment.seconds(),
                    moment.away(),
                    moment.back(),
                    moment.refused(),
                    moment.peakAccepts()));
        }
        lines.add("");
        lines.addAll(sum(scenario, outcome));
        return lines;
    }

    private static String ends(Scenario scenario) {
        String how = switch (scenario.ending()) {
            case KILL -> "killed";
            case SILENT -> "gone without a word";
            case DRAIN -> "drained over " + Unit.SECONDS.show(scenario.drainSeconds());
        };
        String waves = scenario.waves() > 1
                ? String.format(
                        Locale.ROOT,
                        " in %d waves, one each %s",
                        scenario.waves(),
                        Unit.SECONDS.show(scenario.waveSeconds()))
                : " at once";
        return String.format(Locale.ROOT, "%,d %s%s", scenario.failing(), how, waves);
    }

    private static String fill(String name, Outcome.Fill fill, Scenario scenario) {
        return String.format(
                Locale.ROOT,
                "%-36s %,12.0f %,12.0f %,12.0f %6.1f%%",
                name,
                fill.least(),
                fill.mean(),
                fill.most(),
                100.0 * fill.most() / scenario.limits().sessions());
    }

    private static List<String> sum(Scenario scenario, Outcome outcome) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%,d sessions lost their node; back: half %s, 99 %% %s, all %s",
                outcome.lost(),
                seconds(outcome.back().half()),
                seconds(outcome.back().nearlyAll()),
                seconds(outcome.back().all())));
        lines.add(String.format(
                Locale.ROOT,
                "most newcomers/s on a node, over %s: %,.0f, %.0f%% of what it takes; refused %,d, tried a lost node %,d",
                Unit.SECONDS.show(scenario.times().stepSeconds()),
                outcome.peakAccepts(),
                100.0 * outcome.peakAccepts() / scenario.limits().accepts(),
                outcome.refused(),
                outcome.deadEnds()));
        lines.add(
                outcome.held()
                        ? "HELD: no node was pushed past its limits"
                        : "EXCEEDED: " + String.join("; ", outcome.faults()));
        return lines;
    }

    private static String seconds(double seconds) {
        return Double.isInfinite(seconds) ? "never" : String.format(Locale.ROOT, "after %.1f s", seconds);
    }
}
