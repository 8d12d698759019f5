package io.belfry.server.control;

import java.time.Duration;
import java.util.List;

/**
 * The operations of a running server that the control socket and the command line use. Called from the control thread, one
 * call at a time; a {@link RuntimeException} becomes an error answer with its message.
 */
public interface ControlTarget {
    /** Returns the server's state in one or more lines, without secrets. */
    String status();

    /** Reads the configuration again and applies what it can; returns what changed and what needs a restart. */
    List<String> reload();

    /** Starts asking the sessions to reconnect elsewhere, spread over this time, and returns at once. */
    void drain(Duration over);

    /** Stops in order; returns when the server is down. */
    void stop();
}
