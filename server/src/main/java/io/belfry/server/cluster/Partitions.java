package io.belfry.server.cluster;

import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.common.utils.Utils;

/**
 * Which partition a subject is in, and how far this node has read each. A seq is the record's offset and one more, since
 * the position 0 is before all messages. Any thread; the reader is the only writer.
 */
final class Partitions {
    private final AtomicLongArray read;

    Partitions(int count) {
        read = new AtomicLongArray(count);
    }

    int count() {
        return read.length();
    }

    /** As Kafka's own clients choose it for a key, so that foreign producers meet the same partition. */
    int of(byte[] subject) {
        return Utils.toPositive(Utils.murmur2(subject)) % read.length();
    }

    static long seqOf(long offset) {
        return offset + 1;
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
        return seq <= readTo(partition);
    }
}
