package io.belfry.bench;

import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.run.ExitCode;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;

/** How the programs of this module meet their arguments and their failures: one line, no stack trace. Pure. */
final class CommandLines {
    private CommandLines() {}

    static CommandLine of(Object command) {
        CommandLine line = new CommandLine(command);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.setExecutionExceptionHandler((failure, failed, parsed) -> explain(failure, failed));
        return line;
    }

    private static int explain(Exception failure, CommandLine line) throws Exception {
        String name = line.getCommandName();
        return switch (failure) {
            case IllegalArgumentException wrong -> tell(line, name + ": " + wrong.getMessage(), ExitCode.WRONG_USAGE);
            case BenchFailure failed -> tell(line, name + ": " + failed.getMessage(), ExitCode.FAILED);
            case NoSuchFileException missing ->
                tell(line, name + ": " + missing.getMessage() + " does not exist", ExitCode.FAILED);
            case IOException impossible -> tell(line, name + ": " + impossible.getMessage(), ExitCode.FAILED);
            default -> throw failure;
        };
    }

    private static int tell(CommandLine line, String sentence, int code) {
        line.getErr().println(sentence);
        return code;
    }
}
