package io.belfry.server.cluster;

import io.belfry.protocol.Subjects;
import io.belfry.server.counter.Counter;
import io.belfry.server.subject.SubjectKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    private final String topic;
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
    private final Thread thread = new Thread(this::run, "belfry-kafka-reader");
    private final long[] starts;
    private final BitSet opened = new BitSet();
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
        topic = log.topic();
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
        starts = new long[partitions.count()];
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
        List<TopicPartition> all = IntStream.range(0, partitions.count())
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        Map<TopicPartition, Long> ends = consumer.endOffsets(all);
        Map<TopicPartition, Long> times = new HashMap<>();
        all.forEach(partition -> times.put(partition, fromMillis));
        Map<TopicPartition, OffsetAndTimestamp> begins = consumer.offsetsForTimes(times);
        Map<TopicPartition, Long> firsts = consumer.beginningOffsets(all);
        consumer.assign(all);
        for (TopicPartition partition : all) {
            @Nullable OffsetAndTimestamp begin = begins.get(partition);
            long start = before.from(
                    partition.partition(),
                    begin == null ? Objects.requireNonNull(ends.get(partition)) : begin.offset(),
                    Objects.requireNonNull(firsts.get(partition)));
            // One record more: its leader epoch is part of the position before all that follows.
            long place = Math.max(start - 1, Objects.requireNonNull(firsts.get(partition)));
            consumer.seek(partition, place);
            partitions.read(partition.partition(), Math.min(place, start));
            starts[partition.partition()] = start;
            beginLanes(partition, 0);
        }
        before.restore();
        wanted = ends;
        begun = true;
    }

    private boolean isCaughtUp() {
        return wanted.entrySet().stream()
                .allMatch(each -> partitions.readTo(each.getKey().partition()) >= each.getValue());
    }

    private void give(ConsumerRecords<byte[], byte[]> records) {
        long nanos = System.nanoTime();
        if (opened.cardinality() < partitions.count()) {
            consumer.assignment().forEach(partition -> open(partition, records.records(partition)));
        }
        for (ConsumerRecord<byte[], byte[]> record : records) {
            Seqs.requireRoom(leaderEpoch(record), record.offset());
            partitions.leaderEpochs().onRecord(record.partition(), record.offset(), leaderEpoch(record));
            if (record.offset() < starts[record.partition()]) {
                continue;
            }
            if (isMessage(record)) {
                batches.get(key.set(record.key()).home(lanes.size())).add(record);
            } else {
                counting.accept(Counter.CLUSTER_MALFORMED);
            }
        }
        for (int lane = 0; lane < lanes.size(); lane++) {
            if (!batches.get(lane).isEmpty()) {
                give(lanes.get(lane), batches.set(lane, new ArrayList<>()), nanos);
            }
        }
        // Control records have offsets too: where there is none of ours, the place moves on all the same.
        for (TopicPartition partition : consumer.assignment()) {
            partitions.read(partition.partition(), consumer.position(partition));
        }
    }

    /** Tells the lanes under which leader epoch a partition begins, once that is known. */
    private void open(TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> records) {
        long start = starts[partition.partition()];
        if (opened.get(partition.partition()) || (records.isEmpty() && consumer.position(partition) < start)) {
            return;
        }
        opened.set(partition.partition());
        // A log without a record here has none whose leader epoch anybody could know; before the first lies 0.
        if (!records.isEmpty() && start > 0) {
            beginLanes(partition, leaderEpoch(records.getFirst()));
        }
    }

    private void beginLanes(TopicPartition partition, int leaderEpoch) {
        long seq = Seqs.of(leaderEpoch, starts[partition.partition()] - 1);
        lanes.forEach(lane -> lane.run(() -> lane.beginsAt(partition.partition(), seq)));
    }

    private static int leaderEpoch(ConsumerRecord<byte[], byte[]> record) {
        return record.leaderEpoch().orElse(0);
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

    /** Others write to the topic too. */
    private boolean isMessage(ConsumerRecord<byte[], byte[]> record) {
        byte[] subject = record.key();
        return subject != null
                && subject.length <= SUBJECT_BYTES_MAX
                && Subjects.problem(subject, 0, subject.length, false) == null
                && (record.value() == null || record.value().length <= maxMessageSize);
    }

    /** Once no more is to be read; returns when the thread has ended. */
    void close() throws InterruptedException {
        closing = true;
        consumer.wakeup();
        thread.join(CLOSE_WAIT);
    }
}
