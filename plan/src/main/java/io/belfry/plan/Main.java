package io.belfry.plan;

import io.belfry.plan.input.Nonsense;
import io.belfry.plan.input.Trouble;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;

/** {@code bin/belfry plan [simulate | coefficients] [OPTION]...}. */
public final class Main {
    private Main() {}

    public static void main(String... arguments) {
        System.exit(line().execute(arguments));
    }

    static CommandLine line() {
        CommandLine line = new CommandLine(new PlanCommand());
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.setExecutionExceptionHandler((failure, failed, parsed) -> explain(failure, failed));
        return line;
    }

    /** What a person can mend is one sentence behind a code; only what is a fault of ours has a stack trace. */
    private static int explain(Exception failure, CommandLine line) throws Exception {
        return switch (failure) {
            case Nonsense wrong -> tell(line, wrong.trouble(), String.valueOf(wrong.getMessage()));
            case NoSuchFileException missing ->
                tell(line, Trouble.BAD_COEFFICIENTS, missing.getMessage() + " does not exist");
            case IOException impossible ->
                tell(line, Trouble.BAD_COEFFICIENTS, String.valueOf(impossible.getMessage()));
            default -> throw failure;
        };
    }

    private static int tell(CommandLine line, Trouble trouble, String sentence) {
        line.getErr().println("plan: " + trouble.code() + ": " + sentence);
        return trouble == Trouble.DOES_NOT_FIT ? ExitCode.DOES_NOT_HOLD : ExitCode.WRONG_USAGE;
    }
}
