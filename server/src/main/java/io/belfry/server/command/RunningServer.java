package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.time.Duration;

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

    /** Returns when it is down, whoever stopped it. */
    void awaitStopped() throws InterruptedException;
}
