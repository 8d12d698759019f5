package io.belfry.server.monitor;

import io.belfry.protocol.Code;

/** How the server is, asked by any thread at any time; answers at once. */
public interface Health {
    /** Whether clients may be sent here: false while starting, draining or cut off. */
    State ready();

    /** Whether the process does its work at all; where it does not, a supervisor should restart it. */
    default State live() {
        return new State.Well();
    }

    /** Well, or why not. */
    sealed interface State {
        record Well() implements State {}

        record Unwell(Code code, String reason) implements State {}
    }
}
