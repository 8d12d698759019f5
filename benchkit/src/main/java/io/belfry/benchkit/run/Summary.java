package io.belfry.benchkit.run;

import io.belfry.benchkit.load.FleetState;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import io.belfry.benchkit.run.Role.Report;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A run that is over, for the last lines and the report file. Owner: the main thread. */
record Summary(String program, Role role, Recorder recorder, FleetState state, List<String> problems) {
    Summary(String program, Role role, Recorder recorder, List<String> problems) {
        this(program, role, recorder, role.fleet().state(), problems);
    }

    /** How long was measured; 0 where it did not come to that. */
    double measuredSeconds() {
        return recorder.seconds(Phase.MEASURING);
    }

    /** What the main figures are about: of clients that come and go the steady part, otherwise everything. */
    Figures figures() {
        return role instanceof Churning ? recorder.of(Phase.MEASURING) : recorder.total();
    }

    String headline(ReportLines lines) {
        return "Summary of " + lines.rate(measuredSeconds()) + " s, " + lines.number(state.standing()) + " of "
                + lines.number(role.fleet().clients()) + " clients connected";
    }

    List<String> lines(ReportLines lines) {
        double seconds = Math.max(measuredSeconds(), 1e-9);
        Duration uptime = Duration.ofNanos((long) (measuredSeconds() * 1e9));
        List<String> all = new ArrayList<>(
                role.lines(lines, new Report(Phase.MEASURING, uptime, recorder.total(), figures(), seconds)));
        if (role instanceof Churning) {
            for (Phase phase : List.of(Phase.CONNECTING, Phase.RAMP_DOWN)) {
                if (recorder.of(phase).connects().count() > 0) {
                    all.add(lines.brief(
                            "Connect latency, " + phase.words(),
                            recorder.of(phase).connects()));
                }
            }
        }
        all.addAll(role.lastLines(lines));
        return all;
    }

    /** What the load generator itself did: whoever reads the figures asks whether it was the limit. */
    List<String> generatorLines(ReportLines lines) {
        return List.of(
                "CPU used by this load generator: " + lines.rate(Recorder.cpuSeconds()) + " s, while measuring "
                        + lines.rate(recorder.cpuSecondsMeasuring()) + " s or " + lines.number(Math.round(cpuPercent()))
                        + " % of one core",
                lines.brief("Lag of its event loops", loopLags()));
    }

    /** While measuring; of a run that never came to that, from the start. */
    Latencies loopLags() {
        Figures measured = recorder.of(Phase.MEASURING);
        return (measuredSeconds() == 0 ? recorder.total() : measured).loopLags();
    }

    double cpuPercent() {
        return measuredSeconds() == 0 ? 0 : 100 * recorder.cpuSecondsMeasuring() / measuredSeconds();
    }
}
