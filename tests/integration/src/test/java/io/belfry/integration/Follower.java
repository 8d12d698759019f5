package io.belfry.integration;

/** One application that follows subjects until it is stopped, whatever happens to its connections. */
interface Follower extends Runnable {
    Witness witness();

    /** How many connections it made. */
    int connections();

    /** How often the server ended one because it read too slowly. */
    default int slowEnds() {
        return 0;
    }

    /** Any thread. */
    void stop();
}
