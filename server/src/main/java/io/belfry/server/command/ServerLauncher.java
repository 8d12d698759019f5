package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.io.IOException;

/** Starts a server. This interface separates the command line from the server's classes. */
@FunctionalInterface
public interface ServerLauncher {
    /**
     * Starts a server and returns when every listener is open. On failure, closes everything it has opened. The message
     * of the exception is written for the operator.
     */
    RunningServer launch(ServerConfig config) throws IOException;
}
