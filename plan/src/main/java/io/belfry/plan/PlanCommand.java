package io.belfry.plan;

import io.belfry.plan.input.PlanError;
import io.belfry.plan.input.PlanInputs;
import io.belfry.plan.input.PlanOption;
import io.belfry.plan.model.CapacityPlanner;
import io.belfry.plan.model.Coefficients;
import io.belfry.plan.model.Plan;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code bin/belfry plan}. Owner: the main thread. */
@Command(
        name = "plan",
        description = {
            "Estimates how many nodes and brokers a number of clients needs, from costs measured on one machine.",
            "docs/plan.md describes the model and its accuracy."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        subcommands = {SimulateCommand.class, CoefficientsCommand.class},
        footer = {"", "Exit codes: 0 a plan was found, 1 no number of nodes is enough, 2 invalid option"})
final class PlanCommand implements Callable<Integer> {
    @Mixin
    private PlanArguments arguments = new PlanArguments();

    @Option(names = "--node-price", paramLabel = "N", description = "price of a node per month")
    private double nodePrice;

    @Option(names = "--broker-price", paramLabel = "N", description = "price of a broker per month")
    private double brokerPrice;

    @Option(names = "--explain", description = "prints the formula of each term, with names and with numbers")
    private boolean explain;

    @Override
    public Integer call() throws IOException {
        Map<PlanOption, String> texts = arguments.texts();
        if (!texts.containsKey(PlanOption.CLIENTS)) {
            throw new PlanError(PlanError.Code.BAD_VALUE, "--clients is missing");
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
}
