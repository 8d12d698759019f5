package io.belfry.server.event;

import io.belfry.server.config.EventConfig;
import io.belfry.server.event.EventQueue.Item;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the events of one receiver, one batch after the other on a thread of its own. A batch is repeated, with growing pauses
 * and the same id, until the receiver accepts it. Owner: its thread; {@link #add} is called by any.
 */
final class EventDelivery {
    private static final Logger LOG = LoggerFactory.getLogger(EventDelivery.class);
    private static final long FIRST_PAUSE_MILLIS = 500;

    private final EventAddress address;
    private final EventConfig config;
    private final EventSource source;
    private final EventCounts counts;
    private final EventQueue queue;
    private final String sender = UUID.randomUUID().toString();
    private final CountDownLatch stopping = new CountDownLatch(1);

    /** Not counted down: a pause that only an interrupt ends. */
    private final CountDownLatch never = new CountDownLatch(1);

    private final Thread thread;
    private volatile boolean off;

    EventDelivery(EventAddress address, EventConfig config, EventSource source, EventCounts counts) {
        this.address = address;
        this.config = config;
        this.source = source;
        this.counts = counts;
        queue = new EventQueue(config.waiting(), config.waitingBytes());
        thread = Thread.ofVirtual().name("belfry-events-" + address.name()).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    boolean wants(EventType type) {
        return !off && address.wants(type);
    }

    void add(ApplicationEvent event) {
        if (!wants(event.type())) {
            return;
        }
        if (queue.add(event)) {
            counts.waiting(1);
        } else {
            counts.missed(1);
        }
    }

    private void run() {
        try {
            while (!off) {
                List<Item> items = queue.take(config.batch());
                if (items == null) {
                    break;
                }
                EventBatch batch = new EventBatch(
                        "msg_" + UUID.randomUUID(),
                        sender,
                        source,
                        source.node().get(),
                        items);
                counts.waiting(-batch.events());
                deliver(batch);
            }
        } catch (InterruptedException stopped) {
            LOG.debug("events of a receiver are lost because the server stops", stopped);
        } catch (RuntimeException failure) {
            off = true;
            LOG.error("events of {} end: unexpected failure; restart the server", address.name(), failure);
        }
        if (off) {
            int dropped = queue.discard();
            counts.waiting(-dropped);
            counts.missed(dropped);
        } else if (queue.size() > 0) {
            LOG.warn(
                    "events not delivered before the stop: receiver={}, it sees another run of this node next",
                    address.name());
        }
    }

    private void deliver(EventBatch batch) throws InterruptedException {
        long pause = FIRST_PAUSE_MILLIS;
        for (int attempt = 1; !off; attempt++) {
            if (accepts(batch, attempt)) {
                counts.delivered(batch.events());
                if (attempt > 1) {
                    LOG.info("events are delivered again: receiver={}", address.name());
                }
                return;
            }
            if (off) {
                break;
            }
            // With jitter, so that the nodes of a cluster do not repeat at the same time.
            long millis = pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
            if (stopping.await(millis, TimeUnit.MILLISECONDS)) {
                // A stopping server repeats without pauses that grow; its caller ends this thread soon.
                never.await(FIRST_PAUSE_MILLIS / 2, TimeUnit.MILLISECONDS);
            }
            pause = Math.min(pause * 2, config.retryMillis());
        }
        counts.missed(batch.events());
    }

    private boolean accepts(EventBatch batch, int attempt) throws InterruptedException {
        counts.request();
        switch (address.receiver().deliver(batch)) {
            case EventReceiver.Outcome.Accepted accepted -> {
                return true;
            }
            case EventReceiver.Outcome.SwitchedOff(String reason) -> {
                off = true;
                LOG.warn(
                        "events switched off by the receiver: receiver={} address={} {}; its waiting events are dropped;"
                                + " remove the endpoint, or restart the server to try again",
                        address.name(),
                        address.where(),
                        reason);
            }
            case EventReceiver.Outcome.Refused(String reason) -> {
                if (Integer.bitCount(attempt) == 1) {
                    LOG.warn(
                            "events not accepted: receiver={} address={} attempt={} error=\"{}\"; they wait and are sent"
                                    + " again",
                            address.name(),
                            address.where(),
                            attempt,
                            reason);
                }
            }
        }
        counts.failure();
        return false;
    }

    /** Accepts no further events; the thread delivers the waiting ones. */
    void stop() {
        stopping.countDown();
        queue.close();
    }

    /** Waits for the deliveries until this time, then ends them and the receiver. */
    void end(long deadlineNanos) throws InterruptedException {
        long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        if (left > 0) {
            thread.join(left);
        }
        thread.interrupt();
        address.receiver().close();
    }
}
