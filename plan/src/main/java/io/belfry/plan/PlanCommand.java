package io.belfry.plan;

import io.belfry.client.ReconnectPolicy;
import io.belfry.plan.coefficient.Coefficients;
import io.belfry.plan.input.Amounts;
import io.belfry.plan.input.Demands;
import io.belfry.plan.input.Machine;
import io.belfry.plan.input.Nonsense;
import io.belfry.plan.input.Trouble;
import io.belfry.plan.input.Workload;
import io.belfry.plan.model.Plan;
import io.belfry.plan.model.Planner;
import io.belfry.plan.report.PlanJson;
import io.belfry.plan.report.PlanText;
import io.belfry.plan.report.Prices;
import io.belfry.plan.report.Question;
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

/** {@code bin/belfry plan}. Owner: the main thread. */
@Command(
        name = "plan",
        description = {
            "Reckons how many nodes and brokers so many clients take, from what things cost on a measured machine.",
            "docs/plan.md has the model, its errors, and examples."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        subcommands = {SimulateCommand.class, CoefficientsCommand.class},
        footer = {"", "Exit codes: 0 there is a plan, 1 no number of nodes will do, 2 wrong usage"})
final class PlanCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--clients", paramLabel = "N", description = "sessions in all, such as 60000000 or 60M")
    private @Nullable String clients;

    @Mixin
    private LoadOptions load = new LoadOptions();

    @Mixin
    private MachineOptions machine = new MachineOptions();

    @Option(
            names = "--survive",
            paramLabel = "K",
            description = "nodes of a cell that may fail at once (default: 1; 0 where one node is all there is to be)")
    private int survive = 1;

    @Option(
            names = "--reconnect-window",
            paramLabel = "TIME",
            description =
                    "over which a failed node's clients come back (default: 500ms, as the Java client spreads them)")
    private @Nullable String window;

    @Option(
            names = "--cells",
            paramLabel = "N|auto",
            description = "parts that share nothing, each with nodes and brokers of its own (default: 1)")
    private String cells = "1";

    @Option(
            names = "--cluster",
            paramLabel = "WORD",
            description = "auto: Kafka between several nodes (default); yes: always; no: publishers go to each node")
    private String cluster = "auto";

    @Option(names = "--replication", paramLabel = "N", description = "copies of a message in Kafka (default: 3)")
    private int replication = 3;

    @Option(names = "--survive-brokers", paramLabel = "K", description = "brokers that may fail at once (default: 1)")
    private int surviveBrokers = 1;

    @Option(names = "--broker-cores", paramLabel = "N", description = "of a broker (default: a node's)")
    private @Nullable String brokerCores;

    @Option(names = "--broker-network", paramLabel = "GBIT", description = "of a broker (default: a node's)")
    private @Nullable String brokerNetwork;

    @Option(
            names = "--broker-disk",
            paramLabel = "SIZE",
            description = "a broker's disk writes a second (default: 200MB)")
    private String brokerDisk = "200MB";

    @Option(names = "--log-kept", paramLabel = "TIME", description = "the brokers keep messages (default: 1h)")
    private String logKept = "1h";

    @Option(names = "--node-price", paramLabel = "N", description = "of a node, a month")
    private double nodePrice;

    @Option(names = "--broker-price", paramLabel = "N", description = "of a broker, a month")
    private double brokerPrice;

    @Option(names = "--explain", description = "prints each term's formula, in names and in numbers")
    private boolean explain;

    @Option(names = "--json", description = "prints the plan as JSON")
    private boolean asJson;

    @Override
    public Integer call() throws IOException {
        if (clients == null) {
            throw new Nonsense(Trouble.BAD_VALUE, "--clients is missing: how many there are to be");
        }
        Workload all = load.workload(Amounts.count("--clients", clients), "1");
        Machine node = machine.machine();
        Coefficients coefficients = machine.coefficients();
        Demands demands = demands(node);
        Plan plan = new Planner(node, load.retention(), demands, coefficients).plan(all);
        Question question = new Question(all, node, demands, coefficients, new Prices(nodePrice, brokerPrice), explain);
        PrintWriter out = spec.commandLine().getOut();
        if (asJson) {
            out.println(PlanJson.of(question, plan));
        } else {
            PlanText.of(question, plan).forEach(out::println);
        }
        out.flush();
        return ExitCode.WELL;
    }

    private Demands demands(Machine node) {
        Demands.Brokers brokers = new Demands.Brokers(
                replication,
                surviveBrokers,
                brokerCores == null ? node.cores() : (double) Amounts.count("--broker-cores", brokerCores),
                brokerNetwork == null ? node.bitsPerSecond() : Amounts.bitsPerSecond("--broker-network", brokerNetwork),
                (double) Amounts.bytes("--broker-disk", brokerDisk),
                Amounts.seconds("--log-kept", logKept));
        return new Demands(
                survive,
                window == null
                        ? ReconnectPolicy.DEFAULT.quickPause().toMillis() / 1000.0
                        : Amounts.seconds("--reconnect-window", window),
                cells.equals("auto") ? 0 : Amounts.count("--cells", cells),
                join(),
                brokers);
    }

    private Demands.Join join() {
        return switch (cluster.toLowerCase(Locale.ROOT)) {
            case "auto" -> Demands.Join.AUTO;
            case "yes" -> Demands.Join.CLUSTER;
            case "no" -> Demands.Join.NONE;
            default -> throw new Nonsense(Trouble.BAD_VALUE, "--cluster is auto, yes or no, not '" + cluster + "'");
        };
    }
}
