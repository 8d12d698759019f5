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
        /** Returns why the node is unwell, or empty. */
        Optional<String> problem();

        /** Returns a partial failure of a node that is well otherwise; usually empty. */
        Optional<String> warning();

        /** The node is healthy. */
        record Well(Optional<String> warning) implements State {
            public Well() {
                this(Optional.empty());
            }

            @Override
            public Optional<String> problem() {
                return Optional.empty();
            }
        }

        /** The node cannot serve clients. */
        record Unwell(Code code, String reason) implements State {
            @Override
            public Optional<String> problem() {
                return Optional.of(reason);
            }

            @Override
            public Optional<String> warning() {
                return Optional.empty();
            }
        }
    }
}
