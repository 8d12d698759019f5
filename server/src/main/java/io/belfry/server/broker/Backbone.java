package io.belfry.server.broker;

import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.History;
import io.belfry.server.history.Holes;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

/** What has the order of several nodes: makes the broker of each lane. Called before anything runs. */
public interface Backbone {
    /**
     * A lane as its broker sees it.
     *
     * @param loop runs a task on the lane's loop; any thread may call it
     * @param known the subject's id, given to it now if it has none
     * @param nameOf a known subject's bytes
     * @param key for the broker's own use
     */
    record Lane(
            int index,
            int lanes,
            Consumer<Runnable> loop,
            ToIntFunction<SubjectKey> known,
            IntFunction<byte[]> nameOf,
            SubjectKey key,
            LoopCounters counters,
            Broker.Events events) {}

    /** Where a lane keeps what it was told of. */
    record Cache(History history, Holes holes, Retained retained) {}

    Broker broker(Lane lane, Cache cache);
}
