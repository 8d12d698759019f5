package io.belfry.server.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Which partition a subject is in, and how far this node has read each. Those of {@code Kafka.Topic} come first, those of
 * the bridges behind them. A seq is the record's offset and one more, since the position 0 is before all messages; and of a
 * bridge whose topic was another once, above all seqs of that. Any thread; the reader is the only writer.
 */
final class Partitions {
    /** More records than a partition ever has: an epoch has room for so many topics of one name. */
    static final int OFFSET_BITS = 44;

    private final int count;
    private final List<Bridge> bridges;
    private final AtomicLongArray read;
    private final AtomicLongArray bases;

    Partitions(int count) {
        this(count, List.of());
    }

    /** {@code count} of {@code Kafka.Topic}. */
    Partitions(int count, List<Bridge> bridges) {
        this.count = count;
        this.bridges = List.copyOf(bridges);
        int total = count + bridges.stream().mapToInt(Bridge::count).sum();
        read = new AtomicLongArray(total);
        bases = new AtomicLongArray(total);
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

    /** How many topics of its name came before the bridge's; before anything is read. */
    void predecessors(Bridge bridge, long topics) {
        for (int partition = 0; partition < bridge.count(); partition++) {
            bases.set(bridge.first() + partition, topics << OFFSET_BITS);
        }
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

    long seqOf(int partition, long offset) {
        return bases.get(partition) + offset + 1;
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
        return seq < seqOf(partition, readTo(partition));
    }
}
