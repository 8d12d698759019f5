package io.belfry.server.command;

import io.belfry.server.config.EffectiveConfig;
import io.belfry.server.config.ServerConfig;
import java.time.Duration;
import java.util.Optional;

/** A running server as the command line and the signal handlers see it. Any thread may call its methods. */
public interface RunningServer {
    /** Returns the server's state in one or more lines, without secrets. */
    String status();

    /** Applies the new values of the reloadable keys. Other keys keep their values until a restart. */
    void reconfigure(ServerConfig next);

    /** Passes the effective configuration with its sources, after the start and after each reload, for the console. */
    default void configured(EffectiveConfig by) {}

    /** Begins to disconnect the sessions, spread over {@code over}, and returns at once. */
    void drain(Duration over);

    /** Stops the server in order and returns when it has stopped. A second call waits for the first. */
    void stop();

    /** Returns the reason if the server stopped because of a failure. */
    default Optional<String> failure() {
        return Optional.empty();
    }

    /** Waits until the server has stopped for any reason. */
    void awaitStopped() throws InterruptedException;
}
