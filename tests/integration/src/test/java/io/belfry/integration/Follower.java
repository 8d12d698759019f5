package io.belfry.integration;

/** One application that follows subjects until it is stopped, whatever happens to its connections. */
interface Follower extends Runnable {
    Witness witness();

    /** How many connections it made. */
    int connections();

    /** Any thread. */
    void stop();
}
