package io.belfry.attack;

import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.run.StopSignal;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** The program {@code bin/belfry attack}; the property {@code belfry.home} is the folder that contains bin. */
public final class AttackMain {
    private AttackMain() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String... arguments) {
        Path home = Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
        StopSignal.exitAfter(stop -> new CommandLine(new AttackCommand(home, stop))
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .setExecutionExceptionHandler((failure, failed, parsed) -> report(failure, failed))
                .execute(arguments));
    }

    /** Prints one line for a failure that the user can correct; an unexpected one keeps its stack trace. */
    private static int report(Exception failure, CommandLine line) throws Exception {
        boolean missing = failure instanceof NoSuchFileException;
        boolean usage = missing || failure instanceof IllegalArgumentException;
        if (!usage && !(failure instanceof BenchFailure) && !(failure instanceof IOException)) {
            throw failure;
        }
        line.getErr().println("attack: " + failure.getMessage() + (missing ? " does not exist" : ""));
        return usage ? ExitCode.USAGE : ExitCode.SOFTWARE;
    }
}
