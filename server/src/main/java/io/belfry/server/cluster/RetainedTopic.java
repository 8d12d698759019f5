package io.belfry.server.cluster;

import io.belfry.server.counter.Counter;
import io.belfry.server.subject.SubjectKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads {@code Kafka.RetainedTopic}: completely at the start, because the log may no longer have the retained messages, and
 * continuously afterwards, so that the lanes know what is stored. Stores from time to time up to which place of the log
 * everything is stored; the next start reads the log from there, unless its cache begins earlier. One thread.
 */
final class RetainedTopic implements LogReader.Before {
    private static final Logger LOG = LoggerFactory.getLogger(RetainedTopic.class);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);
    private static final long PAUSE_NANOS = 1_000_000;
    private static final long FAULT_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time between two notes of the place up to which everything is stored; up to twice as long, so that nodes alternate. */
    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Maximum records given to the lanes and not processed by them; the thread waits beyond. */
    private static final int AHEAD_MAX = 10_000;

    private static final long NONE = -1;

    /** How far this node had read the log, and the lanes' answers about how far it is stored. */
    private static final class Note {
        private final long[] read;
        private final Queue<long[]> answers = new ConcurrentLinkedQueue<>();

        Note(long[] read) {
            this.read = read;
        }

        long[] through() {
            long[] least = read.clone();
            answers.forEach(each -> Arrays.setAll(least, partition -> Math.min(least[partition], each[partition])));
            return least;
        }
    }

    private final KafkaShared shared;
    private final org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer;
    private final List<KafkaBroker> lanes;
    private final SubjectKey key;
    private final Consumer<Counter> counting;
    private final List<TopicPartition> all;

    /** By partition of the log: the seq up to which all retained messages are stored, and when this node read that. */
    private final long[] through;

    private final long[] throughNanos;
    private final Incarnations incarnations = new Incarnations();
    private final AtomicInteger ahead = new AtomicInteger();
    private final Thread thread = new Thread(this::run, "belfry-kafka-retained");
    private Map<ByteBuffer, StoredRetained> loaded = new HashMap<>();
    private @Nullable Note note;
    private long noteAtNanos = System.nanoTime();
    private boolean faulty;
    private boolean started;
    private volatile boolean closing;

    RetainedTopic(
            KafkaShared shared,
            org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer,
            List<KafkaBroker> lanes,
            SubjectKey key,
            Consumer<Counter> counting) {
        this.shared = shared;
        this.consumer = consumer;
        this.lanes = List.copyOf(lanes);
        this.key = key;
        this.counting = counting;
        String topic = shared.config().topics().retained();
        all = IntStream.range(0, shared.partitions().count())
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        through = new long[all.size()];
        throughNanos = new long[all.size()];
        Arrays.fill(through, NONE);
        thread.setDaemon(true);
    }

    // ---- the start ----

    /** Reads the topic. Throws when that takes longer than until the deadline. */
    void load(long deadlineNanos) throws IOException {
        Map<TopicPartition, Long> ends = null;
        boolean read = false;
        while (!read) {
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new IOException("the topic " + shared.config().topics().retained()
                        + " was not read to its end within Kafka.StartTime");
            }
            try {
                if (ends == null) {
                    ends = consumer.endOffsets(all);
                    consumer.assign(all);
                    consumer.seekToBeginning(all);
                }
                consumer.poll(POLL).forEach(this::load);
                read = ends.entrySet().stream().allMatch(each -> consumer.position(each.getKey()) >= each.getValue());
            } catch (RetriableException unreachable) {
                LOG.debug("Kafka does not answer the reader of retained messages; it retries", unreachable);
            }
        }
        LOG.info("{} subjects were stored as retained or cleared", loaded.size());
    }

    private void load(ConsumerRecord<byte[], byte[]> record) {
        RetainedRecords.At at = RetainedRecords.at(record);
        if (at == null) {
            counting.accept(Counter.CLUSTER_MALFORMED);
        } else if (RetainedRecords.isThrough(record)) {
            onThrough(record.partition(), at);
        } else if (Incarnations.isKey(record.key())) {
            incarnations.onRecord(record.key(), at);
        } else {
            StoredRetained next = new StoredRetained(record, at, at, record.value() == null);
            loaded.merge(ByteBuffer.wrap(record.key()), next, (before, later) -> before.then(later, shared.epoch()));
        }
    }

    private void onThrough(int partition, RetainedRecords.At at) {
        if (at.epoch() == shared.epoch()) {
            through[partition] = Math.max(through[partition], at.seq());
            throughNanos[partition] = System.nanoTime();
        }
    }

    @Override
    public long from(int partition, long begin, long first) {
        long stored = through[partition] == NONE ? NONE : Seqs.end(through[partition]);
        if (stored == NONE || stored >= begin) {
            return begin;
        }
        if (stored < first) {
            LOG.warn(
                    "retained messages of partition {} were stored up to offset {}, but the log begins at {}: retained"
                            + " messages between these offsets may be missing",
                    partition,
                    stored,
                    first);
        }
        return Math.max(stored, first);
    }

    @Override
    public void restore() {
        List<List<StoredRetained>> parts = new ArrayList<>();
        lanes.forEach(lane -> parts.add(new ArrayList<>()));
        loaded.values().forEach(each -> parts.get(home(each.subject())).add(each));
        loaded = new HashMap<>();
        for (int lane = 0; lane < lanes.size(); lane++) {
            KafkaBroker to = lanes.get(lane);
            List<StoredRetained> part = parts.get(lane);
            to.run(() -> to.retaining().restore(part));
        }
    }

    private int home(byte[] subject) {
        return key.set(subject).home(lanes.size());
    }

    /** Makes positions of each bridge begin above those of earlier topics of its name, and stores the present topic. */
    void settleBridges() throws IOException {
        for (Bridge bridge : shared.partitions().bridges()) {
            int number = incarnations.of(bridge);
            shared.partitions().predecessors(bridge, number);
            shared.storing()
                    .offer(new Outgoing(
                            Incarnations.record(shared.config().topics().retained(), bridge, number),
                            System.nanoTime(),
                            answer -> {}));
        }
    }

    // ---- continuous reading ----

    /** Starts the thread, after the lanes have read the log. */
    void start() {
        started = true;
        thread.start();
    }

    private void run() {
        while (!closing) {
            try {
                turn(System.nanoTime());
                faulty = false;
            } catch (WakeupException end) {
                LOG.debug("retained topic thread ends", end);
            } catch (RetriableException unreachable) {
                LOG.debug("Kafka does not answer the reader of retained messages; it retries", unreachable);
            } catch (RuntimeException failure) {
                if (!faulty) {
                    LOG.error(
                            "reading topic {} failed; retained messages are no longer stored by this node",
                            shared.config().topics().retained(),
                            failure);
                }
                faulty = true;
                LockSupport.parkNanos(FAULT_PAUSE_NANOS);
            }
        }
        consumer.close();
    }

    /** Does one step of the thread's work; tests call it directly. */
    void turn(long nowNanos) {
        try {
            consumer.poll(POLL).forEach(this::read);
        } catch (InvalidOffsetException lost) {
            LOG.warn(
                    "topic {} was replaced or truncated; all retained messages are stored again: {}",
                    shared.config().topics().retained(),
                    lost.getMessage());
            consumer.seekToBeginning(lost.partitions());
            lanes.forEach(lane -> lane.run(lane.retaining()::storeAll));
        }
        noteStored(nowNanos);
        while (ahead.get() > AHEAD_MAX && !closing) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void read(ConsumerRecord<byte[], byte[]> record) {
        RetainedRecords.At at = RetainedRecords.at(record);
        if (at == null) {
            counting.accept(Counter.CLUSTER_MALFORMED);
        } else if (RetainedRecords.isThrough(record)) {
            onThrough(record.partition(), at);
        } else if (!Incarnations.isKey(record.key())) {
            KafkaBroker lane = lanes.get(home(record.key()));
            ahead.incrementAndGet();
            lane.run(() -> {
                ahead.decrementAndGet();
                lane.retaining()
                        .onStored(record.key(), record.partition(), at.seqIn(shared.epoch()), record.value() == null);
            });
        }
    }

    /** Asks the lanes, after what they have been given, how far they are stored, and stores their answers. */
    private void noteStored(long nowNanos) {
        Note asked = note;
        if (asked != null && asked.answers.size() == lanes.size()) {
            note = null;
            write(asked.through(), nowNanos);
        } else if (asked == null && nowNanos - noteAtNanos >= 0) {
            noteAtNanos = nowNanos + NOTE_NANOS + ThreadLocalRandom.current().nextLong(NOTE_NANOS);
            note = ask();
        }
    }

    private Note ask() {
        long[] read = new long[all.size()];
        Arrays.setAll(read, shared.partitions()::seqRead);
        Note asked = new Note(read);
        lanes.forEach(lane -> lane.run(() -> asked.answers.add(lane.retaining().storedThrough())));
        return asked;
    }

    private void write(long[] stored, long nowNanos) {
        for (int partition = 0; partition < stored.length; partition++) {
            boolean isNew = through[partition] == NONE || nowNanos - throughNanos[partition] >= NOTE_NANOS;
            if (stored[partition] > through[partition] && isNew) {
                RetainedRecords.At at = new RetainedRecords.At(shared.epoch(), stored[partition], 0);
                // If this note is not written, the next one will be.
                shared.storing()
                        .offer(new Outgoing(
                                RetainedRecords.through(shared.config().topics().retained(), partition, at),
                                nowNanos,
                                answer -> {}));
            }
        }
    }

    void close() throws InterruptedException {
        closing = true;
        if (started) {
            consumer.wakeup();
            thread.join(CLOSE_WAIT);
        } else {
            consumer.close();
        }
    }
}
