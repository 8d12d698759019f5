package io.belfry.integration;

/** One application that publishes until everything it began is acknowledged. */
interface Publisher extends Runnable {
    /** Any thread: nothing new begins. */
    void finish();

    /** Any thread: everything is answered. */
    boolean isFinished();

    /** How often it sent again what was not answered, where it knows. */
    default int repeats() {
        return 0;
    }

    /** Any thread: it gives up what is unanswered. */
    void stop();
}
