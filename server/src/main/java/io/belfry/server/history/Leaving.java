package io.belfry.server.history;

/** Removes records from the tail of a log, some at a time. Owner: the lane's loop. */
interface Leaving {
    /** Returns the number of records copied to the head. */
    long copied();

    /** Returns the number of records removed although their number and age would have allowed reading them. */
    long early();

    boolean isDue(long now);

    /** Does one turn's work. */
    void work(long now, History.Forgetting forgetting);

    void work(long now, int steps, History.Forgetting forgetting);
}
