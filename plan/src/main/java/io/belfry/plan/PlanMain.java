package io.belfry.plan;

import io.belfry.plan.input.PlanError;
import io.belfry.plan.input.PlanError.Code;
import io.belfry.plan.input.PlanOption;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** The program {@code bin/belfry plan [simulate | coefficients] [OPTION]...}. */
public final class PlanMain {
    private PlanMain() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String... arguments) {
        System.exit(line().execute(arguments));
    }

    static CommandLine line() {
        CommandLine line = new CommandLine(new PlanCommand());
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
}
