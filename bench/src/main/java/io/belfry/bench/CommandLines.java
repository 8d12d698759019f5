package io.belfry.bench;

import io.belfry.benchkit.load.BenchFailure;
import io.belfry.settings.ExitCode;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;

/** Makes the command lines of this module; a failure prints one line without a stack trace. Pure. */
final class CommandLines {
    private CommandLines() {}

    static CommandLine of(Object command) {
        CommandLine line = new CommandLine(command);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.setExecutionExceptionHandler((failure, failed, parsed) -> report(failure, failed));
        return line;
    }

    private static int report(Exception failure, CommandLine line) throws Exception {
        String sentence = switch (failure) {
            case NoSuchFileException missing -> missing.getMessage() + " does not exist";
            case IllegalArgumentException e -> String.valueOf(e.getMessage());
            case BenchFailure e -> String.valueOf(e.getMessage());
            case IOException e -> String.valueOf(e.getMessage());
            default -> throw failure;
        };
        line.getErr().println(line.getCommandName() + ": " + sentence);
        return failure instanceof IllegalArgumentException ? ExitCode.WRONG_USAGE : ExitCode.FAILED;
    }
}
