package io.belfry.server.workgroup;

/** The thread that runs a lane, as the lane sees it. The transport's is an event loop, the tests' is turned by hand. */
public interface Loop {
    boolean inLoop();

    /** Runs the task on the loop: within this turn when called on the loop, soon otherwise. Any thread may call. */
    void execute(Runnable task);

    /** Runs the task on the loop when it has served what came meanwhile. Called on the loop. */
    void nextTurn(Runnable task);

    /** Runs the task on the loop once, when so much time has passed. */
    void after(long nanos, Runnable task);

    /** Runs the task on the loop again and again. */
    void every(long millis, Runnable task);
}
