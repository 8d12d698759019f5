package io.belfry.plan;

import io.belfry.plan.model.CapacityPlanner;
import io.belfry.plan.model.Coefficient;
import io.belfry.plan.model.Coefficients;
import io.belfry.plan.model.Plan;
import io.belfry.plan.model.PlanError;
import io.belfry.plan.model.PlanError.Code;
import io.belfry.plan.model.PlanInputs;
import io.belfry.plan.model.PlanOption;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The program {@code bin/belfry plan [simulate | coefficients] [OPTION]...}, and its commands except {@link
 * SimulateCommand}. Owner: the main thread.
 */
@Command(
        name = "plan",
        description = {
            "Estimates how many nodes and brokers a number of clients needs, from costs measured on one machine.",
            "docs/plan.md describes the model and its accuracy."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        subcommands = {SimulateCommand.class, PlanMain.CoefficientsCommand.class},
        footer = {"", "Exit codes: 0 a plan was found, 1 no number of nodes is enough, 2 invalid option"})
public final class PlanMain implements Callable<Integer> {
    @Mixin
    private PlanArguments arguments = new PlanArguments();

    @Option(names = "--node-price", paramLabel = "N", description = "price of a node per month")
    private double nodePrice;

    @Option(names = "--broker-price", paramLabel = "N", description = "price of a broker per month")
    private double brokerPrice;

    @Option(names = "--explain", description = "prints the formula of each term, with names and with numbers")
    private boolean explain;

    private PlanMain() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String... arguments) {
        System.exit(line().execute(arguments));
    }

    static CommandLine line() {
        CommandLine line = new CommandLine(new PlanMain());
        PlanOption.addTo(line.getCommandSpec(), PlanOption.OF_PLAN);
        CommandLine simulate = Objects.requireNonNull(line.getSubcommands().get("simulate"));
        PlanOption.addTo(simulate.getCommandSpec(), PlanOption.OF_SIMULATE);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.setExecutionExceptionHandler((failure, failed, parsed) -> report(failure, failed));
        return line;
    }

    /** Prints a failure that the user can correct as one line with its code; an unexpected one keeps its stack trace. */
    private static int report(Exception failure, CommandLine line) throws Exception {
        Code code = switch (failure) {
            case PlanError error -> error.code();
            case IOException unreadable -> Code.BAD_COEFFICIENTS;
            default -> throw failure;
        };
        String suffix = failure instanceof NoSuchFileException ? " does not exist" : "";
        line.getErr().println("plan: " + code.word() + ": " + failure.getMessage() + suffix);
        return code == Code.DOES_NOT_FIT ? ExitCode.SOFTWARE : ExitCode.USAGE;
    }

    @Override
    public Integer call() throws IOException {
        Map<PlanOption, String> texts = arguments.texts();
        if (!texts.containsKey(PlanOption.CLIENTS)) {
            throw new PlanError(Code.BAD_VALUE, "--clients is missing");
        }
        PlanInputs inputs = PlanInputs.parse(texts, 1);
        Coefficients coefficients = arguments.coefficients();
        Plan plan = new CapacityPlanner(inputs, coefficients).plan();
        double price = nodePrice * plan.nodesInAll() + brokerPrice * plan.brokersInAll();
        Optional<Double> monthly = nodePrice > 0 || brokerPrice > 0 ? Optional.of(price) : Optional.empty();
        PlanReport report = new PlanReport(inputs, coefficients.assumed(), plan, monthly, explain);
        arguments.print(report::text, report::json);
        return ExitCode.OK;
    }

    /** The command {@code bin/belfry plan coefficients}. */
    @Command(
            name = "coefficients",
            description = {
                "Lists the coefficients of the model: value, meaning, source and date of each.",
                "With --json, the output is a file that --coefficients accepts."
            },
            mixinStandardHelpOptions = true,
            sortOptions = false)
    static final class CoefficientsCommand implements Callable<Integer> {
        @Mixin
        private PlanArguments arguments = new PlanArguments();

        @Override
        public Integer call() throws IOException {
            Coefficients coefficients = arguments.coefficients();
            ReportText out = new ReportText();
            for (Coefficient each : coefficients.list()) {
                String basis = each.basis().word();
                out.line("%-20s %12s  %-8s  %s", each.name(), each.shown(), basis, each.what());
                out.line("%35s%s; %s", "", each.source(), each.date());
            }
            arguments.print(out::text, coefficients::json);
            return ExitCode.OK;
        }
    }
}
