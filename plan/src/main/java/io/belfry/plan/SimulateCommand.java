package io.belfry.plan;

import io.belfry.client.ReconnectPolicy;
import io.belfry.plan.model.CapacityPlanner;
import io.belfry.plan.model.CapacityPlanner.Capacity;
import io.belfry.plan.model.PlanInputs;
import io.belfry.plan.model.PlanOption;
import io.belfry.plan.simulation.NodeWeights;
import io.belfry.plan.simulation.ReconnectPauses;
import io.belfry.plan.simulation.Simulation;
import io.belfry.plan.simulation.SimulationResult;
import io.belfry.plan.simulation.SimulationScenario;
import io.belfry.plan.simulation.SimulationScenario.Ending;
import io.belfry.plan.simulation.SimulationScenario.Limits;
import io.belfry.plan.simulation.SimulationScenario.Times;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code bin/belfry plan simulate}. Owner: the main thread. */
@Command(
        name = "simulate",
        description = {
            "Simulates the failure of nodes and follows their sessions until all have reconnected.",
            "Without --max-sessions and --max-accepts the model determines the limits of a node for this load."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "Exit codes: 0 all limits held, 1 a limit was exceeded, 2 invalid option"})
final class SimulateCommand implements Callable<Integer> {
    private static final double USUAL_FAN_OUT = 1000;

    @Mixin
    private PlanArguments arguments = new PlanArguments();

    @Option(
            names = "--nodes",
            paramLabel = "N[xW],...",
            defaultValue = "10",
            description = "number of nodes, with weights if they differ: 4000,1000x2 (default: 10)")
    private String nodes = "";

    @Option(names = "--fail", paramLabel = "K", defaultValue = "1", description = "nodes that fail (default: 1)")
    private int fail;

    @Option(
            names = "--waves",
            paramLabel = "N",
            defaultValue = "1",
            description = "waves in which they fail (default: 1)")
    private int waves;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "random seed (default: 1)")
    private long seed;

    @Override
    public Integer call() throws IOException {
        Map<PlanOption, String> texts = arguments.texts();
        texts.put(PlanOption.CLIENTS, Objects.requireNonNull(texts.get(PlanOption.SESSIONS)));
        PlanInputs inputs = PlanInputs.parse(texts, USUAL_FAN_OUT);
        NodeWeights weights = NodeWeights.parse("--nodes", nodes);
        Capacity capacity = new CapacityPlanner(inputs, arguments.coefficients()).capacity(weights.nodes() > 1);
        Optional<Double> maxSessions = inputs.find(PlanOption.MAX_SESSIONS);
        Optional<Double> maxAccepts = inputs.find(PlanOption.MAX_ACCEPTS);
        Limits limits = new Limits(
                maxSessions.map(Double::longValue).orElse(capacity.sessions()), maxAccepts.orElse(capacity.accepts()));
        Ending ending = Ending.values()[(int) inputs.of(PlanOption.BY)];
        ReconnectPauses pauses = inputs.find(PlanOption.JITTER)
                .map(ReconnectPauses::spreadOver)
                .orElseGet(() -> new ReconnectPauses(ReconnectPolicy.DEFAULT));
        long sessions = inputs.whole(PlanOption.SESSIONS);
        SimulationScenario scenario =
                new SimulationScenario(sessions, weights, fail, waves, ending, pauses, limits, times(inputs), seed);
        String source = maxSessions.isPresent() && maxAccepts.isPresent()
                ? "as given"
                : "by the model, bound by " + capacity.bound().title();
        SimulationResult result = Simulation.run(scenario);
        SimulationReport report = new SimulationReport(scenario, source, result);
        arguments.print(report::text, report::json);
        return result.held() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    /** A client that is refused before the TLS handshake gets no response, and so no Retry-After. */
    private static Times times(PlanInputs inputs) {
        boolean mostlyEncrypted = inputs.of(PlanOption.TLS) > 0.5;
        return new Times(
                inputs.of(PlanOption.UNTIL),
                mostlyEncrypted ? 0 : Times.RETRY_AFTER,
                inputs.of(PlanOption.PING),
                inputs.of(PlanOption.EVERY),
                inputs.of(PlanOption.OVER));
    }
}
