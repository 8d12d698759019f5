package io.belfry.integration;

/** An application that publishes and repeats until every message it began is acknowledged. */
public interface RepeatingPublisher extends Runnable {
    /** Stops new publishes. Any thread. */
    void finish();

    /** Returns whether every publish is answered. Any thread. */
    boolean isFinished();

    /** Returns the number of repeated publishes, or 0 if the publisher does not count them. */
    default int repeats() {
        return 0;
    }

    /** Gives up unanswered publishes. Any thread. */
    void stop();
}
