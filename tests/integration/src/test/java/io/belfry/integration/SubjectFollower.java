package io.belfry.integration;

/** An application that follows subjects until it is stopped, despite lost connections. */
interface SubjectFollower extends Runnable {
    StreamWitness witness();

    /** Returns the number of connections made. */
    int connections();

    /** Stops the application. Any thread. */
    void stop();
}
