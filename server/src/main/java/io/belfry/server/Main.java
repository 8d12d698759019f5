package io.belfry.server;

import io.belfry.server.command.CommandLineProgram;
import io.belfry.server.command.ServerLauncher;
import io.belfry.server.log.LogProvider;

/** Entry point of the server process: runs the command line of bin/belfry. */
public final class Main {
    private Main() {}

    /** Runs the command line and ends the process with its exit code. */
    public static void main(String[] arguments) {
        LogProvider.select();
        System.exit(CommandLineProgram.execute(launcher(), arguments));
    }

    /** Returns the launcher that connects the command line with the server. No other class makes this connection. */
    private static ServerLauncher launcher() {
        return Server::start;
    }
}
