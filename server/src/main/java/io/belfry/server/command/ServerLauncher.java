package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.io.IOException;

/** Starts a server: the seam between the command line and what it runs. */
@FunctionalInterface
public interface ServerLauncher {
    /**
     * Returns when every listener is open. What was opened before a failure is closed again; the exception's message is
     * for the one who started it.
     */
    RunningServer launch(ServerConfig config) throws IOException;
}
