package io.belfry.server;

import io.belfry.server.counter.Counter;
import io.belfry.server.event.EventCounts;
import io.belfry.server.workgroup.Lane;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what happens to events of the application. It happens on any thread, but only a lane may update its counters. Immutable. */
record CountedEvents(CompletableFuture<Lane> counting) implements EventCounts {
    private static final Logger LOG = LoggerFactory.getLogger(CountedEvents.class);

    private void count(Counter counter, int amount) {
        counting.thenAccept(lane -> {
            try {
                lane.count(counter, amount);
            } catch (RejectedExecutionException stopped) {
                LOG.debug("not counted, because the loops have ended: {}", counter, stopped);
            }
        });
    }

    @Override
    public void waiting(int more) {
        count(Counter.EVENTS_WAITING, more);
    }

    @Override
    public void delivered(int events) {
        count(Counter.EVENTS_DELIVERED, events);
    }

    @Override
    public void missed(int events) {
        count(Counter.EVENTS_MISSED, events);
    }

    @Override
    public void request() {
        count(Counter.EVENT_REQUESTS, 1);
    }

    @Override
    public void failure() {
        count(Counter.EVENT_FAILURES, 1);
    }
}
