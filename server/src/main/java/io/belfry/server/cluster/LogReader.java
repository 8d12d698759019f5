package io.belfry.server.cluster;

import io.belfry.protocol.Subjects;
import io.belfry.server.counter.Counter;
import io.belfry.server.subject.SubjectKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads every partition from the beginning of this node's cache, and gives each lane the records of its subjects in the order
 * of the log. One thread, so each lane receives the records of a partition in order. If the log was truncated or deleted
 * beyond this node's position, the node ends, because its clients' positions could belong to another log.
 */
final class LogReader {
    private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long PAUSE_NANOS = 1_000_000;
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);

    /** Maximum bytes given to the lanes and not processed by them; the reader waits beyond. */
    static final long AHEAD_BYTES_MAX = 32 << 20;

    private static final int RECORD_BYTES = 100;
    private static final int SUBJECT_BYTES_MAX = 255;

    private final int maxMessageSize;
    private final Partitions partitions;
    private final org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer;
    private final long fromMillis;
    private final Before before;
    private final List<KafkaBroker> lanes;
    private final SubjectKey key;
    private final Consumer<Counter> counting;
    private final Consumer<Broken> onBroken;
    private final List<List<ConsumerRecord<byte[], byte[]>>> batches;
    private final AtomicLong aheadBytes = new AtomicLong();
    private final CountDownLatch caughtUp;
    private final List<TopicPartition> all;
    private final long[] starts;
    private final BitSet opened = new BitSet();
    private final Set<String> misplaced = new HashSet<>();
    private final Thread thread = new Thread(this::run, "belfry-kafka-reader");
    private Map<TopicPartition, Long> wanted = Map.of();
    private boolean begun;
    private volatile boolean closing;

    /** The log to read. */
    record Log(String topic, Partitions partitions, int maxMessageSize) {}

    /** The end of reading. The reason is for the log; the cause tells whether Kafka refused this node. */
    record Broken(String reason, Throwable cause) {}

    /** Supplies what the lanes need before the first record. */
    interface Before {
        /** Returns the offset to start at; the cache alone would start at {@code begin}, and the log starts at {@code first}. */
        long from(int partition, long begin, long first);

        /** Gives the state to the lanes. */
        void restore();
    }

    LogReader(
            Log log,
            org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer,
            long fromMillis,
            Before before,
            List<KafkaBroker> lanes,
            SubjectKey key,
            Consumer<Counter> counting,
            Consumer<Broken> onBroken) {
        all = log.partitions().all(log.topic());
        starts = new long[all.size()];
        maxMessageSize = log.maxMessageSize();
        partitions = log.partitions();
        this.consumer = consumer;
        this.fromMillis = fromMillis;
        this.before = before;
        this.lanes = List.copyOf(lanes);
        this.key = key;
        this.counting = counting;
        this.onBroken = onBroken;
        batches = lanes.stream()
                .map(lane -> (List<ConsumerRecord<byte[], byte[]>>) new ArrayList<ConsumerRecord<byte[], byte[]>>())
                .collect(Collectors.toCollection(ArrayList::new));
        caughtUp = new CountDownLatch(lanes.size());
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Returns a latch that reaches zero when each lane has what the log had at the start. */
    CountDownLatch caughtUp() {
        return caughtUp;
    }

    private void run() {
        try {
            while (!closing) {
                turn();
            }
        } catch (InvalidOffsetException lost) {
            onBroken.accept(new Broken("the log was replaced or truncated: " + lost.getMessage(), lost));
        } catch (WakeupException end) {
            LOG.debug("reader thread ends", end);
        } catch (RuntimeException unexpected) {
            LOG.error("reader thread failed; this node stops", unexpected);
            onBroken.accept(new Broken("reading the log failed: " + unexpected.getMessage(), unexpected));
        } catch (LinkageError missing) {
            LOG.error("reader thread lacks a library; this node stops", missing);
            onBroken.accept(new Broken(
                    "the log has a record with a compression other than gzip: " + missing.getMessage(), missing));
        } finally {
            consumer.close();
        }
    }

    /** Does one step of the thread's work; tests call it directly. */
    void turn() {
        try {
            if (!begun) {
                begin();
            }
            give(consumer.poll(POLL));
        } catch (RetriableException unreachable) {
            LOG.debug("Kafka does not answer the reader; it retries", unreachable);
        }
        if (!wanted.isEmpty() && isCaughtUp()) {
            wanted = Map.of();
            // Queued after the records given to the lanes.
            lanes.forEach(lane -> lane.run(caughtUp::countDown));
        }
        while (aheadBytes.get() > AHEAD_BYTES_MAX && !closing) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void begin() {
        Map<TopicPartition, Long> ends = consumer.endOffsets(all);
        Map<TopicPartition, Long> times = new HashMap<>();
        all.forEach(partition -> times.put(partition, fromMillis));
        Map<TopicPartition, OffsetAndTimestamp> begins = consumer.offsetsForTimes(times);
        Map<TopicPartition, Long> firsts = consumer.beginningOffsets(all);
        consumer.assign(all);
        for (int partition = 0; partition < all.size(); partition++) {
            TopicPartition at = all.get(partition);
            @Nullable OffsetAndTimestamp begin = begins.get(at);
            long end = Objects.requireNonNull(ends.get(at));
            begin(partition, begin == null ? end : begin.offset(), Objects.requireNonNull(firsts.get(at)));
        }
        before.restore();
        wanted = ends;
        begun = true;
    }

    /** Starts a partition. Only {@code Kafka.Topic} has retained messages. */
    private void begin(int partition, long cached, long first) {
        long start = partition < partitions.count() ? before.from(partition, cached, first) : cached;
        // One record earlier, because its leader epoch is part of the position before the first record.
        long place = Math.max(start - 1, first);
        consumer.seek(all.get(partition), place);
        partitions.read(partition, Math.min(place, start));
        starts[partition] = start;
        beginLanes(partition, partitions.firstEpoch(partition));
    }

    private void beginLanes(int partition, int leaderEpoch) {
        long seq = Seqs.of(leaderEpoch, starts[partition] - 1);
        lanes.forEach(lane -> lane.run(() -> lane.beginsAt(partition, seq)));
    }

    private boolean isCaughtUp() {
        for (int partition = 0; partition < all.size(); partition++) {
            if (partitions.readTo(partition) < wanted.getOrDefault(all.get(partition), 0L)) {
                return false;
            }
        }
        return true;
    }

    private void give(ConsumerRecords<byte[], byte[]> records) {
        long nanos = System.nanoTime();
        for (int partition = 0; opened.cardinality() < all.size() && partition < all.size(); partition++) {
            open(partition, records.records(all.get(partition)));
        }
        for (ConsumerRecord<byte[], byte[]> record : records) {
            int partition = partitions.of(record);
            int leaderEpoch = partitions.leaderEpoch(record);
            Seqs.requireRoom(leaderEpoch, record.offset());
            partitions.leaderEpochs().onRecord(partition, record.offset(), leaderEpoch);
            if (record.offset() >= starts[partition] && isMessage(record)) {
                batches.get(key.set(partitions.subjectOf(record)).home(lanes.size()))
                        .add(record);
            }
        }
        for (int lane = 0; lane < lanes.size(); lane++) {
            if (!batches.get(lane).isEmpty()) {
                give(lanes.get(lane), batches.set(lane, new ArrayList<>()), nanos);
            }
        }
        // Control records have offsets too: the position advances even without a record of ours.
        for (int partition = 0; partition < all.size(); partition++) {
            partitions.read(partition, consumer.position(all.get(partition)));
        }
    }

    /** Tells the lanes the leader epoch with which a partition begins, once it is known. */
    private void open(int partition, List<ConsumerRecord<byte[], byte[]>> records) {
        boolean known = !records.isEmpty() || consumer.position(all.get(partition)) >= starts[partition];
        if (opened.get(partition) || !known) {
            return;
        }
        opened.set(partition);
        // Without a record the leader epoch is unknown; before the first record it is 0.
        if (!records.isEmpty() && starts[partition] > 0) {
            beginLanes(partition, partitions.leaderEpoch(records.getFirst()));
        }
    }

    private void give(KafkaBroker lane, List<ConsumerRecord<byte[], byte[]>> records, long nanos) {
        long bytes = records.stream().mapToLong(LogReader::bytes).sum();
        aheadBytes.addAndGet(bytes);
        lane.run(() -> {
            try {
                lane.onRecords(records, nanos);
            } finally {
                aheadBytes.addAndGet(-bytes);
            }
        });
    }

    private static long bytes(ConsumerRecord<byte[], byte[]> record) {
        return (long) RECORD_BYTES + record.key().length + (record.value() == null ? 0 : record.value().length);
    }

    /** Returns whether a record is a message; other programs write to the topics too. */
    private boolean isMessage(ConsumerRecord<byte[], byte[]> record) {
        Bridge bridge = partitions.bridgeOf(record.topic());
        if (record.key() == null
                || record.key().length > SUBJECT_BYTES_MAX
                || (record.value() != null && record.value().length > maxMessageSize)
                || !isSubject(record, bridge)) {
            counting.accept(Counter.CLUSTER_MALFORMED);
            return false;
        }
        int count = bridge == null ? partitions.count() : bridge.count();
        if (Partitions.partition(record.key(), count) != record.partition()) {
            onMisplaced(record.topic());
            return false;
        }
        return true;
    }

    /**
     * Returns whether the subject belongs to this topic; a bridge's subject in another topic would have no order, and only nodes
     * publish to subjects of the server.
     */
    private boolean isSubject(ConsumerRecord<byte[], byte[]> record, @Nullable Bridge bridge) {
        byte[] subject = bridge == null ? record.key() : bridge.subject(record.key());
        boolean ofServer = bridge == null && Subjects.isOfServer(subject) && Headers.isOfServer(record.headers());
        return subject.length <= SUBJECT_BYTES_MAX
                && Subjects.problem(subject, 0, subject.length, false, ofServer) == null
                && (bridge != null || partitions.bridgeOf(subject) == null);
    }

    /** Handles a record in a wrong partition: offsets of two partitions do not compare, so it has no place in the order. */
    private void onMisplaced(String topic) {
        counting.accept(Counter.CLUSTER_MISPLACED);
        if (misplaced.add(topic)) {
            LOG.warn(
                    "topic {}: a record is not in the partition that murmur2 assigns to its key; such records are"
                            + " skipped. Set partitioner = murmur2_random in the producer that writes them",
                    topic);
        }
    }

    /** Called when nothing more is to be read; returns when the thread has ended. */
    void close() throws InterruptedException {
        closing = true;
        consumer.wakeup();
        thread.join(CLOSE_WAIT);
    }
}
