package io.belfry.server.history;

/** What leaves a log at its old end, some records at a time. Owner: the lane's loop. */
interface Leaving {
    /** Records copied to the head so far. */
    long copied();

    /** Records so far that left while their size and age would have let them be read. */
    long early();

    boolean isDue(long now);

    /** Does the work of a turn. */
    void work(long now, History.Forgetting forgetting);

    void work(long now, int steps, History.Forgetting forgetting);
}
