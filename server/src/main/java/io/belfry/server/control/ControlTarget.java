package io.belfry.server.control;

import java.time.Duration;
import java.util.List;

/**
 * What the control socket and the command line can ask of a running server. Called from the control thread, one call at
 * a time; a {@link RuntimeException} becomes an error answer with its message.
 */
public interface ControlTarget {
    /** How the server is doing: one or more lines, no secrets. */
    String status();

    /** Reads the configuration again and takes over what it can; lines saying what changed and what needs a restart. */
    List<String> reload();

    /** Begins to ask the sessions to reconnect elsewhere, spread over this time, and returns at once. */
    void drain(Duration over);

    /** An orderly stop; returns when the server is down. */
    void stop();
}
