package io.belfry.server.turn;

/** The event loop of a lane, as the lane uses it: one of the transport, or a manual one in tests. */
public interface Loop {
    boolean inLoop();

    /**
     * Runs the task on the loop: within this turn when called on the loop, soon otherwise. Any thread. A loop that has ended drops
     * tasks of its own, and rejects those of other threads with a {@link java.util.concurrent.RejectedExecutionException}.
     */
    void execute(Runnable task);

    /** Runs the task on the loop in its next turn, after the input that arrived meanwhile. Called on the loop. */
    void nextTurn(Runnable task);

    /** Runs the task on the loop once, after this time. */
    void after(long nanos, Runnable task);

    /** Runs the task on the loop periodically. */
    void every(long millis, Runnable task);
}
