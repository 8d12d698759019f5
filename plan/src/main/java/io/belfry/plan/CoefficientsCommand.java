package io.belfry.plan;

import io.belfry.plan.coefficient.Coefficient;
import io.belfry.plan.coefficient.Coefficients;
import io.belfry.plan.coefficient.CoefficientsFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bin/belfry plan coefficients}. Owner: the main thread. */
@Command(
        name = "coefficients",
        description = "Lists what the model reckons with: each figure, what it is, where it was measured, and when.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class CoefficientsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--coefficients", paramLabel = "FILE", description = "a file of your own")
    private @Nullable Path file;

    @Option(names = "--json", description = "prints the file, to change it and give it to --coefficients")
    private boolean asJson;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Coefficients coefficients = file == null ? CoefficientsFile.ours() : CoefficientsFile.read(file);
        if (asJson) {
            out.println(CoefficientsFile.write(coefficients));
        } else {
            coefficients.list().forEach(each -> out.println(line(each)));
        }
        out.flush();
        return ExitCode.WELL;
    }

    private static String line(Coefficient each) {
        return String.format(
                Locale.ROOT,
                "%-20s %12s  %-8s  %s%n%35s%s; %s",
                each.factor().key(),
                each.shown(),
                each.basis().word(),
                each.what(),
                "",
                each.source(),
                each.date());
    }
}
