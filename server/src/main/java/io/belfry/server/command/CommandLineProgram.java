package io.belfry.server.command;

/** Executes command lines of bin/belfry. */
public final class CommandLineProgram {
    private CommandLineProgram() {}

    /** Executes one command line and returns its exit code. */
    public static int execute(ServerLauncher launcher, String... arguments) {
        return PlainCommand.execute(launcher, arguments)
                .orElseGet(() -> BelfryCommand.line(launcher).execute(arguments));
    }
}
