package io.belfry.server.monitor;

import io.belfry.protocol.Code;
import java.util.Optional;

/** State of the server for health checks. Any thread may call the methods at any time; they return at once. */
public interface Health {
    /** Returns whether clients may be sent to this node: not while it starts, drains or has lost the cluster's log. */
    State ready();

    /** Returns whether the process works at all; if not, a supervisor should restart it. */
    default State live() {
        return new State.Well();
    }

    /** Either well, or unwell with a reason. */
    sealed interface State {
        /** The node is healthy; {@code warning} describes a partial failure, and is usually empty. */
        record Well(Optional<String> warning) implements State {
            public Well() {
                this(Optional.empty());
            }
        }

        record Unwell(Code code, String reason) implements State {}
    }
}
