package io.belfry.server.broker;

import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.History;
import io.belfry.server.history.Holes;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

/** Creates the broker of each lane where the order of messages is shared by several nodes. Called before any lane runs. */
public interface Backbone {
    /** A lane's loop, for use by any thread: it runs tasks one after the other, in the order in which they were submitted. */
    interface Loop {
        void run(Runnable task);

        /**
         * Queues a task without waking the loop: the task runs before the next one submitted by {@link #run}. An urgent task wakes
         * the loop at once. Waking a loop costs both threads more than a small task does.
         *
         * @param urgent evaluated after the task is queued, so that a task that runs later sees this one in the queue
         */
        void leave(Runnable task, BooleanSupplier urgent);
    }

    /**
     * A lane as its broker sees it.
     *
     * @param known returns the subject's id, and assigns one to an unknown subject
     * @param nameOf returns a known subject's bytes
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

    /** The stores in which a lane keeps the messages it has read. */
    record Cache(History history, Holes holes, Retained retained) {}

    Broker broker(Lane lane, Cache cache);
}
