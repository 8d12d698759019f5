package io.belfry.plan;

import io.belfry.plan.model.Coefficients;
import io.belfry.plan.model.PlanOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options that all commands share, and their output. Owner: the command line. */
final class PlanArguments {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--coefficients", paramLabel = "FILE", description = "coefficients of your own machine")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "overrides one coefficient, such as cpu-delivery=6.5; may be repeated")
    private List<String> overrides = new ArrayList<>();

    @Option(names = "--json", description = "prints the result as JSON")
    private boolean asJson;

    /** Returns the texts of the options that the command has and that are given or have a default. */
    Map<PlanOption, String> texts() {
        Map<PlanOption, String> texts = new EnumMap<>(PlanOption.class);
        for (PlanOption option : PlanOption.values()) {
            @Nullable OptionSpec found = spec.findOption(option.optionName());
            if (found != null && found.getValue() instanceof String text && !text.isEmpty()) {
                texts.put(option, text);
            }
        }
        return texts;
    }

    Coefficients coefficients() throws IOException {
        Coefficients all = file == null ? Coefficients.builtIn() : Coefficients.read(Files.readString(file));
        return all.with(overrides);
    }

    void print(Supplier<String> text, Supplier<String> json) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(asJson ? json.get() : text.get());
        out.flush();
    }
}
