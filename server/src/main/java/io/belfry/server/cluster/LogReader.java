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
 * Reads every partition, from where this node's cache begins, and gives each lane the records of its subjects in the order of
 * the log. One thread, so what one partition has first a lane gets first. A log that is not what it was, cut back or cleared
 * beyond this node's place, is not read on: the node ends, since what its clients hold could be of another log.
 */
final class LogReader {
    private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long PAUSE_NANOS = 1_000_000;
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);

    /** Bytes given to the lanes and not taken by them; the reader waits beyond. */
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
    private final Consumer<String> onBroken;
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

    /** What is read. */
    record Log(String topic, Partitions partitions, int maxMessageSize) {}

    /** What the lanes are to have before the first record. */
    interface Before {
        /** The offset to begin at, where the cache alone would begin at this one and the log does at the other. */
        long from(int partition, long begin, long first);

        /** Gives it to the lanes. */
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
            Consumer<String> onBroken) {
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

    /** Counts down to zero when each lane has what the log had at the start. */
    CountDownLatch caughtUp() {
        return caughtUp;
    }

    /** Whether it reads no more. Any thread. */
    boolean hasEnded() {
        return !thread.isAlive();
    }

    private void run() {
        try {
            while (!closing) {
                turn();
            }
        } catch (InvalidOffsetException lost) {
            onBroken.accept("the log is not what it was: " + lost.getMessage());
        } catch (WakeupException end) {
            LOG.debug("the reader was woken to end", end);
        } catch (RuntimeException failure) {
            LOG.error("the reader met a fault", failure);
            onBroken.accept("the log cannot be read: " + failure.getMessage());
        } catch (LinkageError missing) {
            LOG.error("the reader lacks a library", missing);
            onBroken.accept(
                    "the log has a record that is compressed in another way than gzip: " + missing.getMessage());
        } finally {
            consumer.close();
        }
    }

    /** A step of the thread's work; the tests turn it by hand. */
    void turn() {
        try {
            if (!begun) {
                begin();
            }
            give(consumer.poll(POLL));
        } catch (RetriableException unreachable) {
            LOG.debug("Kafka does not answer the reader; it asks again", unreachable);
        }
        if (!wanted.isEmpty() && isCaughtUp()) {
            wanted = Map.of();
            // Behind what the lanes were given.
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

    /** What is retained is of {@code Kafka.Topic} only. */
    private void begin(int partition, long cached, long first) {
        long start = partition < partitions.count() ? before.from(partition, cached, first) : cached;
        // One record more: its leader epoch is part of the position before all that follows.
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
        // Control records have offsets too: where there is none of ours, the place moves on all the same.
        for (int partition = 0; partition < all.size(); partition++) {
            partitions.read(partition, consumer.position(all.get(partition)));
        }
    }

    /** Tells the lanes under which leader epoch a partition begins, once that is known. */
    private void open(int partition, List<ConsumerRecord<byte[], byte[]>> records) {
        boolean known = !records.isEmpty() || consumer.position(all.get(partition)) >= starts[partition];
        if (opened.get(partition) || !known) {
            return;
        }
        opened.set(partition);
        // A log without a record here has none whose leader epoch anybody could know; before the first lies 0.
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

    /** Others write to the topics too. */
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

    /** What belongs into a bridge's topic has no order in the other. */
    private boolean isSubject(ConsumerRecord<byte[], byte[]> record, @Nullable Bridge bridge) {
        byte[] subject = bridge == null ? record.key() : bridge.subject(record.key());
        return subject.length <= SUBJECT_BYTES_MAX
                && Subjects.problem(subject, 0, subject.length, false) == null
                && (bridge != null || partitions.bridgeOf(subject) == null);
    }

    /** Offsets of two partitions do not compare, so there it has no place in its subject's order. */
    private void onMisplaced(String topic) {
        counting.accept(Counter.CLUSTER_MISPLACED);
        if (misplaced.add(topic)) {
            LOG.warn(
                    "a record of the topic {} is not in the partition that its key has by Kafka's murmur2, and is passed over"
                            + " like all such: its producer is to be told partitioner = murmur2_random",
                    topic);
        }
    }

    /** Once no more is to be read; returns when the thread has ended. */
    void close() throws InterruptedException {
        closing = true;
        consumer.wakeup();
        thread.join(CLOSE_WAIT);
    }
}
