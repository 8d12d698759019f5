package io.belfry.server;

import io.belfry.server.counter.Counter;
import io.belfry.server.event.EventCounts;
import io.belfry.server.workgroup.Lane;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what happens to events of the application. It happens on any thread, but only a lane may update its counters: the amounts are
 * added up until a task of the lane takes them, so that many events need few tasks. Any thread.
 */
final class CountedEvents implements EventCounts {
    private static final Logger LOG = LoggerFactory.getLogger(CountedEvents.class);

    /** An amount that is not in the counter yet. While it is not zero, a task of the lane waits to add it. */
    private final class Amount {
        private final Counter counter;
        private final AtomicLong sum = new AtomicLong();

        Amount(Counter counter) {
            this.counter = counter;
        }

        void add(int more) {
            if (sum.getAndAdd(more) == 0) {
                counting.thenAccept(this::moveTo);
            }
        }

        private void moveTo(Lane lane) {
            try {
                lane.count(counter, sum);
            } catch (RejectedExecutionException stopped) {
                LOG.debug("the event {} is not counted, because the event loops have ended", counter, stopped);
            }
        }
    }

    private final CompletableFuture<Lane> counting;
    private final Amount waiting = new Amount(Counter.EVENTS_WAITING);
    private final Amount delivered = new Amount(Counter.EVENTS_DELIVERED);
    private final Amount missed = new Amount(Counter.EVENTS_MISSED);
    private final Amount requests = new Amount(Counter.EVENT_REQUESTS);
    private final Amount failures = new Amount(Counter.EVENT_FAILURES);

    CountedEvents(CompletableFuture<Lane> counting) {
        this.counting = counting;
    }

    @Override
    public void waiting(int more) {
        waiting.add(more);
    }

    @Override
    public void delivered(int events) {
        delivered.add(events);
    }

    @Override
    public void missed(int events) {
        missed.add(events);
    }

    @Override
    public void request() {
        requests.add(1);
    }

    @Override
    public void failure() {
        failures.add(1);
    }
}
