package io.belfry.server.handoff;

import java.util.function.Consumer;

/** Runs tasks on a part of all lanes. The tasks of one lane for another one run in their order. */
@FunctionalInterface
public interface Peers<T> {
    /** Runs the task on the loop of this lane, at once if it is the present one. */
    void run(int lane, Consumer<T> task);
}
