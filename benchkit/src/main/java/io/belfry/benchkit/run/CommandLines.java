package io.belfry.benchkit.run;

import io.belfry.benchkit.load.BenchFailure;
import io.belfry.settings.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import picocli.CommandLine;

/** Makes the command lines of the tools; a failure prints one line without a stack trace. Pure, except for the file of a token. */
public final class CommandLines {
    private CommandLines() {}

    /** Returns the command line of an annotated command. */
    public static CommandLine of(Object command) {
        CommandLine line = new CommandLine(command);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.setExecutionExceptionHandler((failure, failed, parsed) -> report(failure, failed));
        return line;
    }

    /** Returns the token in the first line of the file that {@code --token-file} names. */
    public static String token(Path file) {
        try {
            return Files.readString(file).lines().findFirst().orElse("").strip();
        } catch (IOException e) {
            throw new IllegalArgumentException("--token-file: " + file + " cannot be read", e);
        }
    }

    private static int report(Exception failure, CommandLine line) throws Exception {
        String sentence = switch (failure) {
            case NoSuchFileException missing -> missing.getMessage() + " does not exist";
            case IllegalArgumentException _, BenchFailure _, IOException _ -> String.valueOf(failure.getMessage());
            default -> throw failure;
        };
        line.getErr().println(line.getCommandName() + ": " + sentence);
        return failure instanceof IllegalArgumentException ? ExitCode.WRONG_USAGE : ExitCode.FAILED;
    }
}
