package io.belfry.server.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Which partition a subject is in, and how far this node has read each. Those of {@code Kafka.Topic} come first, those of
 * the bridges behind them; of these the number of topics that had the name before stands for the leader epoch in a seq, so
 * that it is above all seqs of those. Any thread; the reader is the only writer.
 */
final class Partitions {
    private final int count;
    private final List<Bridge> bridges;
    private final AtomicLongArray read;
    private final LeaderEpochs leaderEpochs;
    private final AtomicIntegerArray predecessors;

    Partitions(int count) {
        this(count, List.of());
    }

    /** {@code count} of {@code Kafka.Topic}. */
    Partitions(int count, List<Bridge> bridges) {
        this.count = count;
        this.bridges = List.copyOf(bridges);
        int total = count + bridges.stream().mapToInt(Bridge::count).sum();
        read = new AtomicLongArray(total);
        leaderEpochs = new LeaderEpochs(total);
        predecessors = new AtomicIntegerArray(total);
    }

    /** Those of {@code Kafka.Topic}. */
    int count() {
        return count;
    }

    /** With those of the bridges. */
    int total() {
        return read.length();
    }

    List<Bridge> bridges() {
        return bridges;
    }

    /** All of them in their order. */
    List<TopicPartition> all(String topic) {
        List<TopicPartition> all = new ArrayList<>();
        for (int partition = 0; partition < count; partition++) {
            all.add(new TopicPartition(topic, partition));
        }
        for (Bridge bridge : bridges) {
            for (int partition = 0; partition < bridge.count(); partition++) {
                all.add(new TopicPartition(bridge.topic(), partition));
            }
        }
        return all;
    }

    /** How people call each: the number in {@code Kafka.Topic}, and of a bridge the topic's name before it. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        for (int partition = 0; partition < count; partition++) {
            names.add(Integer.toString(partition));
        }
        for (Bridge bridge : bridges) {
            for (int partition = 0; partition < bridge.count(); partition++) {
                names.add(bridge.topic() + "-" + partition);
            }
        }
        return List.copyOf(names);
    }

    /** How many topics of its name came before the bridge's; before anything is read. */
    void predecessors(Bridge bridge, int topics) {
        for (int partition = 0; partition < bridge.count(); partition++) {
            predecessors.set(bridge.first() + partition, topics);
        }
    }

    /** The leader epoch of seqs where none is known. */
    int firstEpoch(int partition) {
        return predecessors.get(partition);
    }

    int leaderEpoch(ConsumerRecord<byte[], byte[]> record) {
        Bridge bridge = bridgeOf(record.topic());
        return bridge == null ? record.leaderEpoch().orElse(0) : firstEpoch(bridge.first());
    }

    LeaderEpochs leaderEpochs() {
        return leaderEpochs;
    }

    /** The bridge that this subject is a key of, or null. */
    @Nullable
    Bridge bridgeOf(byte[] subject) {
        for (Bridge bridge : bridges) {
            if (bridge.has(subject)) {
                return bridge;
            }
        }
        return null;
    }

    /** The bridge of this topic; null of {@code Kafka.Topic}. */
    @Nullable
    Bridge bridgeOf(String topic) {
        for (Bridge bridge : bridges) {
            if (bridge.topic().equals(topic)) {
                return bridge;
            }
        }
        return null;
    }

    int of(byte[] subject) {
        Bridge bridge = bridgeOf(subject);
        return bridge == null
                ? partition(subject, count)
                : bridge.first() + partition(bridge.key(subject), bridge.count());
    }

    /** As Kafka's own Java client chooses it, so that foreign producers meet the same. */
    static int partition(byte[] key, int count) {
        return Utils.toPositive(Utils.murmur2(key)) % count;
    }

    int of(ConsumerRecord<byte[], byte[]> record) {
        Bridge bridge = bridgeOf(record.topic());
        return bridge == null ? record.partition() : bridge.first() + record.partition();
    }

    byte[] subjectOf(ConsumerRecord<byte[], byte[]> record) {
        Bridge bridge = bridgeOf(record.topic());
        return bridge == null ? record.key() : bridge.subject(record.key());
    }

    /** The seq of a record that was read. */
    long seqOf(int partition, long offset) {
        return Seqs.of(Math.max(firstEpoch(partition), leaderEpochs.at(partition, offset)), offset);
    }

    /** The seq before all that has not been given to the lanes. */
    long seqRead(int partition) {
        return seqOf(partition, readTo(partition) - 1);
    }

    /** All before this offset has been given to the lanes. */
    void read(int partition, long offset) {
        read.setRelease(partition, offset);
    }

    long readTo(int partition) {
        return read.getAcquire(partition);
    }

    /** Whether the message with this seq, and all before it, has been given to the lanes. */
    boolean isRead(int partition, long seq) {
        return Seqs.end(seq) <= readTo(partition);
    }
}
