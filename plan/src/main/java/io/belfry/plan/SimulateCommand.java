package io.belfry.plan;

import io.belfry.client.ReconnectPolicy;
import io.belfry.plan.input.Amounts;
import io.belfry.plan.input.Demands;
import io.belfry.plan.input.Machine;
import io.belfry.plan.input.Nonsense;
import io.belfry.plan.input.Trouble;
import io.belfry.plan.input.Workload;
import io.belfry.plan.model.Capacity;
import io.belfry.plan.model.Planner;
import io.belfry.plan.report.SimulationJson;
import io.belfry.plan.report.SimulationText;
import io.belfry.plan.simulation.Outcome;
import io.belfry.plan.simulation.Pauses;
import io.belfry.plan.simulation.Scenario;
import io.belfry.plan.simulation.Simulation;
import io.belfry.plan.simulation.Weights;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bin/belfry plan simulate}. Owner: the main thread. */
@Command(
        name = "simulate",
        description = {
            "Lets nodes fail under many sessions and follows those that lost theirs until they are back.",
            "Without --max-sessions and --max-accepts a node takes what the model says of it, doing this work."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "Exit codes: 0 all limits held, 1 some were exceeded, 2 wrong usage"})
final class SimulateCommand implements Callable<Integer> {
    private static final String USUAL_FAN_OUT = "1000";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--sessions", paramLabel = "N", description = "in all (default: 1000000)")
    private String sessions = "1000000";

    @Option(
            names = "--nodes",
            paramLabel = "N[xW],...",
            description = "how many, with weights where they differ: 4000,1000x2 (default: 10)")
    private String nodes = "10";

    @Option(names = "--fail", paramLabel = "K", description = "nodes that go (default: 1)")
    private int fail = 1;

    @Option(names = "--waves", paramLabel = "N", description = "in which they go (default: 1)")
    private int waves = 1;

    @Option(names = "--every", paramLabel = "TIME", description = "between waves (default: 30s)")
    private String every = "30s";

    @Option(
            names = "--by",
            paramLabel = "WORD",
            description =
                    "kill: connections are reset (default); silence: clients have to notice; drain: they are sent away")
    private String by = "kill";

    @Option(names = "--over", paramLabel = "TIME", description = "a node drains (default: 2m)")
    private String over = "2m";

    @Option(
            names = "--jitter",
            paramLabel = "TIME|none",
            description = "over which clients spread their first attempts (default: 500ms, as the Java client does)")
    private @Nullable String jitter;

    @Option(names = "--max-sessions", paramLabel = "N", description = "a node takes")
    private @Nullable String maxSessions;

    @Option(names = "--max-accepts", paramLabel = "N", description = "newcomers a second a node takes")
    private @Nullable String maxAccepts;

    @Option(names = "--until", paramLabel = "TIME", description = "when to give up (default: 10m)")
    private String until = "10m";

    @Option(names = "--seed", paramLabel = "N", description = "of the dice (default: 1)")
    private long seed = 1;

    @Mixin
    private LoadOptions load = new LoadOptions();

    @Mixin
    private MachineOptions machine = new MachineOptions();

    @Option(names = "--json", description = "prints the outcome as JSON")
    private boolean asJson;

    @Override
    public Integer call() throws IOException {
        long all = Amounts.count("--sessions", sessions);
        Weights weights = Weights.read(nodes);
        Capacity capacity = capacity(all, weights.nodes());
        Scenario scenario = new Scenario(
                all,
                weights,
                fail,
                waves,
                Amounts.seconds("--every", every),
                ending(),
                Amounts.seconds("--over", over),
                pauses(),
                limits(capacity),
                times(),
                seed);
        Outcome outcome = Simulation.run(scenario);
        PrintWriter out = spec.commandLine().getOut();
        String source = source(capacity);
        if (asJson) {
            out.println(SimulationJson.of(scenario, source, outcome));
        } else {
            SimulationText.of(scenario, source, outcome).forEach(out::println);
        }
        out.flush();
        return outcome.held() ? ExitCode.WELL : ExitCode.DOES_NOT_HOLD;
    }

    private Capacity capacity(long all, int nodeCount) throws IOException {
        Machine node = machine.machine();
        Workload work = load.workload(all, USUAL_FAN_OUT);
        Demands.Brokers brokers = new Demands.Brokers(1, 0, node.cores(), node.bitsPerSecond(), 1, 1);
        Demands demands = new Demands(0, 1, 1, Demands.Join.AUTO, brokers);
        return new Planner(node, load.retention(), demands, machine.coefficients()).capacity(work, nodeCount > 1);
    }

    private Scenario.Limits limits(Capacity capacity) {
        return new Scenario.Limits(
                maxSessions == null ? capacity.sessions() : Amounts.count("--max-sessions", maxSessions),
                maxAccepts == null ? capacity.accepts() : (double) Amounts.count("--max-accepts", maxAccepts));
    }

    private String source(Capacity capacity) {
        return maxSessions != null && maxAccepts != null
                ? "as given"
                : "by the model, bound by " + capacity.bound().title();
    }

    private Scenario.Ending ending() {
        return switch (by.toLowerCase(Locale.ROOT)) {
            case "kill" -> Scenario.Ending.KILL;
            case "silence" -> Scenario.Ending.SILENT;
            case "drain" -> Scenario.Ending.DRAIN;
            default -> throw new Nonsense(Trouble.BAD_VALUE, "--by is kill, silence or drain, not '" + by + "'");
        };
    }

    private Pauses pauses() {
        if (jitter == null) {
            return Pauses.of(ReconnectPolicy.DEFAULT);
        }
        return Pauses.spreadOver(jitter.equals("none") ? 0 : Amounts.seconds("--jitter", jitter));
    }

    /** Who is refused before the handshake of TLS gets no answer, and so no time to come back at. */
    private Scenario.Times times() {
        Scenario.Times usual = Scenario.Times.DEFAULT;
        return new Scenario.Times(
                usual.stepSeconds(),
                Amounts.seconds("--until", until),
                load.mostlyEncrypted() ? 0 : usual.retryAfterSeconds(),
                load.pingSeconds(),
                usual.connectSeconds(),
                usual.drainSpreadSeconds());
    }
}
