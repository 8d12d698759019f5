package io.belfry.attack;

import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.run.ExitCode;
import io.belfry.benchkit.run.StopSignal;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import picocli.CommandLine;

/** {@code bin/belfry attack [OPTION]...}; the property {@code belfry.home} is the folder above bin. */
public final class Main {
    private Main() {}

    public static void main(String... arguments) {
        StopSignal stop = StopSignal.ofProcess();
        Path home = Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
        int code = line(new AttackCommand(home, stop)).execute(arguments);
        stop.fulfilled(code);
        System.exit(code);
    }

    static CommandLine line(AttackCommand command) {
        CommandLine line = new CommandLine(command);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.setExecutionExceptionHandler((failure, failed, parsed) -> explain(failure, failed));
        return line;
    }

    /** What a person can mend is one sentence; only what is a fault of ours has a stack trace. */
    private static int explain(Exception failure, CommandLine line) throws Exception {
        return switch (failure) {
            case IllegalArgumentException wrong -> tell(line, String.valueOf(wrong.getMessage()), ExitCode.WRONG_USAGE);
            case BenchFailure failed -> tell(line, String.valueOf(failed.getMessage()), ExitCode.FAILED);
            case NoSuchFileException missing ->
                tell(line, missing.getMessage() + " does not exist", ExitCode.WRONG_USAGE);
            case IOException impossible -> tell(line, String.valueOf(impossible.getMessage()), ExitCode.FAILED);
            default -> throw failure;
        };
    }

    private static int tell(CommandLine line, String sentence, int code) {
        line.getErr().println("attack: " + sentence);
        return code;
    }
}
