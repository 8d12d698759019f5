package io.belfry.plan;

import io.belfry.plan.model.Coefficient;
import io.belfry.plan.model.Coefficients;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** The command {@code bin/belfry plan coefficients}. Owner: the main thread. */
@Command(
        name = "coefficients",
        description = {
            "Lists the coefficients of the model: value, meaning, source and date of each.",
            "With --json, the output is a file that --coefficients accepts."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class CoefficientsCommand implements Callable<Integer> {
    @Mixin
    private PlanArguments arguments = new PlanArguments();

    @Override
    public Integer call() throws IOException {
        Coefficients coefficients = arguments.coefficients();
        arguments.print(() -> text(coefficients), coefficients::json);
        return ExitCode.OK;
    }

    private static String text(Coefficients coefficients) {
        ReportText out = new ReportText();
        for (Coefficient each : coefficients.list()) {
            String basis = each.basis().word();
            out.line("%-20s %12s  %-8s  %s", each.name(), each.shown(), basis, each.what());
            out.line("%35s%s; %s", "", each.source(), each.date());
        }
        return out.text();
    }
}
