package io.belfry.server.cluster;

import io.belfry.protocol.Code;
import io.belfry.server.config.KafkaConfig;
import io.belfry.server.counter.Counter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the lanes' publishes to the log. Lanes only add to a bounded queue; one thread passes them to Kafka's
 * producer, so Kafka can never block an event loop.
 *
 * <p>The producer is stopped at the first record that it accepted and could not write, before it writes another one.
 * An idempotent producer alone would continue with later records after giving one up, and leave a hole in the order of a
 * publisher that sent both. The records that the producer held are answered with {@code publish-unknown}, because the broker
 * may have written them. The records still queued here are refused, and a new producer starts after a pause.
 */
final class LogPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(LogPublisher.class);

    /** Maximum bytes that the producer holds; a record can be refused with certainty only while it is queued here. */
    static final long HANDED_BYTES_MAX = 8 << 20;

    /** Time without an answer after which the producer is given no more records, so that the rest can be refused with certainty. */
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time that the producer gets beyond its delivery timeout before it counts as silent. */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Interval for refreshing a topic's leaders; the producer forgets them when nothing was sent for a day. */
    private static final long REFRESH_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);

    /** One producer, from its start to its end. */
    private final class Life {
        final Producer<byte[], byte[]> producer;
        final long silentNanos = ClientSettings.deliveryNanos(config) + LATE_NANOS;
        volatile boolean failed;
        boolean ready;
        long refreshAtNanos;

        Life(Producer<byte[], byte[]> producer) {
            this.producer = producer;
        }

        /** Called by the producer's own thread, or within {@link #send}. */
        void onDone(Outgoing outgoing, @Nullable RecordMetadata written, @Nullable Exception failure) {
            handedBytes.addAndGet(-outgoing.bytes());
            if (failure == null && written != null) {
                waitingBytes.addAndGet(-outgoing.bytes());
                progressNanos = System.nanoTime();
                outgoing.written(written.offset());
            } else {
                if (!failed) {
                    failed = true;
                    LOG.warn("publish could not be written, the producer is restarted: {}", String.valueOf(failure));
                    // Closed on its own thread, so that it ends before it writes anything else.
                    producer.close(Duration.ZERO);
                }
                unknown(outgoing, String.valueOf(failure));
            }
        }
    }

    private final String topic;
    private final KafkaConfig config;
    private final Supplier<Producer<byte[], byte[]>> producers;
    private final Consumer<Counter> counting;
    private final LinkedBlockingQueue<Outgoing> queue = new LinkedBlockingQueue<>();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicLong handedBytes = new AtomicLong();

    /** The time of the producer's last answer, or of the first record given to an idle producer. */
    private volatile long progressNanos;

    private final Thread thread;

    /** At most one record that was taken from the queue and that the producer did not accept. Owner: the thread. */
    private final Deque<Outgoing> held = new ArrayDeque<>(1);

    private @Nullable Life life;
    private long openAtNanos;
    private boolean waited;
    private volatile boolean closing;

    /** Creates a publisher for one topic. */
    LogPublisher(
            String topic,
            KafkaConfig config,
            Supplier<Producer<byte[], byte[]>> producers,
            Consumer<Counter> counting) {
        this.config = config;
        this.producers = producers;
        this.counting = counting;
        this.topic = topic;
        thread = new Thread(this::run, "belfry-kafka-publisher-" + topic);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Adds a record; returns false if {@code Kafka.PublishBuffer} is full or the server stops. Any thread. */
    boolean offer(Outgoing outgoing) {
        if (closing || waitingBytes.get() + outgoing.bytes() > config.publishBytes()) {
            return false;
        }
        waitingBytes.addAndGet(outgoing.bytes());
        return queue.add(outgoing);
    }

    private void run() {
        openAtNanos = System.nanoTime();
        while (!closing || !isIdle()) {
            try {
                turn(System.nanoTime());
            } catch (InterruptedException interrupted) {
                break;
            } catch (RuntimeException failure) {
                LOG.error("publisher thread failed", failure);
                stopLife();
            }
        }
        refuseAll("the server is stopping");
        Life last = life;
        if (last != null) {
            last.producer.close(CLOSE_WAIT);
        }
    }

    private boolean isIdle() {
        return held.isEmpty() && queue.isEmpty();
    }

    /** Does one step of the thread's work; tests call it directly. */
    void turn(long now) throws InterruptedException {
        Life current = life;
        if (current != null && isSilent(current, now)) {
            LOG.warn("Kafka's client has answered nothing for longer than its delivery.timeout.ms and is restarted");
            stopLife();
        } else if (current != null && current.failed) {
            stopLife();
        }
        refuseLate(now);
        Life ready = ready(now);
        Outgoing next = ready == null || hasEnough(now) ? rest() : next();
        if (next != null && ready != null && !ready.failed) {
            send(ready, next);
        } else if (next != null) {
            held.addFirst(next);
        }
    }

    /**
     * Returns whether the producer has neither written nor given up a record for longer than its delivery timeout. It does not check
     * that timeout while it waits for its id from a broker. Its end answers the records.
     */
    private boolean isSilent(Life current, long now) {
        return handedBytes.get() > 0 && now - progressNanos > current.silentNanos;
    }

    private boolean hasEnough(long now) {
        long handed = handedBytes.get();
        return handed > HANDED_BYTES_MAX || (handed > 0 && now - progressNanos > STUCK_NANOS);
    }

    private @Nullable Outgoing next() throws InterruptedException {
        if (waited) {
            // The producer did not accept the last record; a pause precedes the next attempt.
            waited = false;
            TimeUnit.NANOSECONDS.sleep(LOOK_NANOS);
        }
        Outgoing first = held.poll();
        return first != null ? first : queue.poll(LOOK_NANOS, TimeUnit.NANOSECONDS);
    }

    private @Nullable Outgoing rest() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(LOOK_NANOS);
        return null;
    }

    /** Returns the producer if it knows the topic's leaders, so that no send has to wait for them; null otherwise. */
    private @Nullable Life ready(long now) {
        Life current = life;
        if (current == null) {
            if (now - openAtNanos < 0) {
                return null;
            }
            current = new Life(producers.get());
            life = current;
        }
        if (!current.ready || now - current.refreshAtNanos >= 0) {
            current.ready = knowsLeaders(current) || current.ready;
            current.refreshAtNanos = now + (current.ready ? REFRESH_NANOS : LOOK_NANOS);
        }
        return current.ready ? current : null;
    }

    private boolean knowsLeaders(Life current) {
        try {
            return !current.producer.partitionsFor(topic).isEmpty();
        } catch (RetriableException unreachable) {
            return false;
        }
    }

    private void send(Life current, Outgoing outgoing) {
        if (handedBytes.getAndAdd(outgoing.bytes()) == 0) {
            progressNanos = System.nanoTime();
        }
        boolean[] sending = {true};
        Thread here = Thread.currentThread();
        try {
            current.producer.send(outgoing.record(), (written, failure) -> {
                if (sending[0] && failure != null && here.equals(Thread.currentThread())) {
                    onNotTaken(outgoing, failure);
                } else {
                    current.onDone(outgoing, written, failure);
                }
            });
        } catch (RuntimeException failure) {
            onNotTaken(outgoing, failure);
        } finally {
            sending[0] = false;
        }
    }

    /** Handles a record that the producer rejected at once, so that it was certainly not written; it is kept if a retry may help. */
    private void onNotTaken(Outgoing outgoing, Exception failure) {
        handedBytes.addAndGet(-outgoing.bytes());
        if (failure instanceof RetriableException || failure instanceof IllegalStateException) {
            held.addFirst(outgoing);
            waited = true;
        } else {
            refuse(outgoing, String.valueOf(failure.getMessage()));
        }
    }

    private void stopLife() {
        Life ended = life;
        life = null;
        openAtNanos =
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.times().restartMillis());
        counting.accept(Counter.CLUSTER_PRODUCER_RESTARTS);
        if (ended != null) {
            ended.producer.close(Duration.ZERO);
        }
        refuseAll("an earlier message was not accepted by Kafka");
    }

    private void refuseAll(String reason) {
        for (Outgoing next = held.poll(); next != null; next = held.poll()) {
            refuse(next, reason);
        }
        for (Outgoing next = queue.poll(); next != null; next = queue.poll()) {
            refuse(next, reason);
        }
    }

    private void refuseLate(long now) {
        long longest = TimeUnit.MILLISECONDS.toNanos(config.times().publishMillis());
        for (Outgoing first = first(); first != null && now - first.sinceNanos() > longest; first = first()) {
            // Only this thread removes from either queue, so the first record is still the one examined.
            (held.isEmpty() ? queue : held).remove();
            refuse(first, "Kafka did not accept it within Kafka.PublishTime");
        }
    }

    private @Nullable Outgoing first() {
        return held.isEmpty() ? queue.peek() : held.peek();
    }

    private void refuse(Outgoing outgoing, String reason) {
        waitingBytes.addAndGet(-outgoing.bytes());
        outgoing.failed(Code.CLUSTER_UNREACHABLE, reason);
    }

    private void unknown(Outgoing outgoing, String reason) {
        waitingBytes.addAndGet(-outgoing.bytes());
        counting.accept(Counter.CLUSTER_PUBLISHES_UNKNOWN);
        outgoing.failed(Code.PUBLISH_UNKNOWN, reason);
    }

    /** Passes queued records on for a short time, then closes. */
    void close() throws InterruptedException {
        closing = true;
        // The thread was not started if the start failed earlier.
        if (thread.isAlive()) {
            thread.join(CLOSE_WAIT);
            thread.interrupt();
            thread.join(CLOSE_WAIT);
        }
    }
}
