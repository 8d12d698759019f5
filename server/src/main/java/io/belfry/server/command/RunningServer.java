package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.time.Duration;
import java.util.Optional;

/** A server that was launched, as the command line and the signals see it. Called from any thread. */
public interface RunningServer {
    /** How it is doing: one or more lines, no secrets. */
    String status();

    /** Takes over the values of the keys that can be reloaded; the others are the running ones' business until a restart. */
    void reconfigure(ServerConfig next);

    /** Begins to ask the sessions to reconnect elsewhere, spread over this time, and returns at once. */
    void drain(Duration over);

    /** An orderly stop; returns when it is down. A second call waits for the first. */
    void stop();

    /** Why it stopped by itself, if it did. */
    default Optional<String> failure() {
        return Optional.empty();
    }

    /** Returns when it is down, whoever stopped it. */
    void awaitStopped() throws InterruptedException;
}
