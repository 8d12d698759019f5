package io.belfry.server;

import io.belfry.server.command.BelfryCommand;
import io.belfry.server.command.ServerLauncher;

/** Where the process begins: the command line of bin/belfry. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        System.exit(BelfryCommand.execute(launcher(), arguments));
    }

    /** The one place that says which server the command line runs. */
    private static ServerLauncher launcher() {
        return Server::start;
    }
}
