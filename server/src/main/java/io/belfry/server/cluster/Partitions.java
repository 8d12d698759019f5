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
 * The partition of each subject, and how far this node has read each partition. The partitions of {@code Kafka.Topic} come
 * first, those of the bridges after them. In a bridge's seqs the number of earlier topics of its name replaces the leader
 * epoch, so that they exceed all seqs of those topics. Any thread; the reader is the only writer.
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

    /** Creates the table; {@code count} is the number of partitions of {@code Kafka.Topic}. */
    Partitions(int count, List<Bridge> bridges) {
        this.count = count;
        this.bridges = List.copyOf(bridges);
        int total = count + bridges.stream().mapToInt(Bridge::count).sum();
        read = new AtomicLongArray(total);
        leaderEpochs = new LeaderEpochs(total);
        predecessors = new AtomicIntegerArray(total);
    }

    /** Returns the number of partitions of {@code Kafka.Topic}. */
    int count() {
        return count;
    }

    /** Returns the number of partitions including those of the bridges. */
    int total() {
        return read.length();
    }

    List<Bridge> bridges() {
        return bridges;
    }

    /** Returns all partitions in their order. */
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

    /** Returns the names for people: the number in {@code Kafka.Topic}, and for a bridge the topic's name and the number. */
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

    /** Sets how many topics of the bridge's name existed before; called before anything is read. */
    void predecessors(Bridge bridge, int topics) {
        for (int partition = 0; partition < bridge.count(); partition++) {
            predecessors.set(bridge.first() + partition, topics);
        }
    }

    /** Returns the leader epoch of seqs where none is known. */
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

    /** Returns the bridge whose key this subject is, or null. */
    @Nullable
    Bridge bridgeOf(byte[] subject) {
        for (Bridge bridge : bridges) {
            if (bridge.has(subject)) {
                return bridge;
            }
        }
        return null;
    }

    /** Returns the bridge of this topic, or null for {@code Kafka.Topic}. */
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

    /** Returns the partition that Kafka's own Java client chooses, so that records of other producers are found. */
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

    /** Returns the seq of a record that was read. */
    long seqOf(int partition, long offset) {
        return Seqs.of(Math.max(firstEpoch(partition), leaderEpochs.at(partition, offset)), offset);
    }

    /** Returns the seq before everything that has not been given to the lanes. */
    long seqRead(int partition) {
        return seqOf(partition, readTo(partition) - 1);
    }

    /** Records that everything before this offset has been given to the lanes. */
    void read(int partition, long offset) {
        read.setRelease(partition, offset);
    }

    long readTo(int partition) {
        return read.getAcquire(partition);
    }

    /** Returns whether the message with this seq, and all before it, has been given to the lanes. */
    boolean isRead(int partition, long seq) {
        return Seqs.end(seq) <= readTo(partition);
    }
}
