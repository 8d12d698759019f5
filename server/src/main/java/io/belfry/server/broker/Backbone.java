package io.belfry.server.broker;

import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.History;
import io.belfry.server.history.Holes;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

/** What has the order of several nodes: makes the broker of each lane. Called before anything runs. */
public interface Backbone {
    /** A lane's loop, for any thread: tasks run on it one after the other, in the order in which they came. */
    interface Loop {
        void run(Runnable task);

        /**
         * Leaves the task to run before the next one that {@link #run} has, or at once where it is urgent. To wake a loop
         * costs both threads more than a small task does.
         *
         * @param urgent asked when the task has its place, so that a task that runs afterwards finds this one there
         */
        void leave(Runnable task, BooleanSupplier urgent);
    }

    /**
     * A lane as its broker sees it.
     *
     * @param known the subject's id, given to it now if it has none
     * @param nameOf a known subject's bytes
     * @param key for the broker's own use
     */
    record Lane(
            int index,
            int lanes,
            Loop loop,
            ToIntFunction<SubjectKey> known,
            IntFunction<byte[]> nameOf,
            SubjectKey key,
            LoopCounters counters,
            Broker.Events events) {}

    /** Where a lane keeps what it was told of. */
    record Cache(History history, Holes holes, Retained retained) {}

    Broker broker(Lane lane, Cache cache);
}
