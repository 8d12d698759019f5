package io.belfry.server.cluster;

import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.common.utils.Utils;

/**
 * Which partition a subject is in, and how far this node has read each, under which leader epochs. Any thread; the reader is the only writer.
 */
final class Partitions {
    private final AtomicLongArray read;
    private final LeaderEpochs leaderEpochs;

    Partitions(int count) {
        read = new AtomicLongArray(count);
        leaderEpochs = new LeaderEpochs(count);
    }

    int count() {
        return read.length();
    }

    /** As Kafka's own clients choose it for a key, so that foreign producers meet the same partition. */
    int of(byte[] subject) {
        return Utils.toPositive(Utils.murmur2(subject)) % read.length();
    }

    LeaderEpochs leaderEpochs() {
        return leaderEpochs;
    }

    /** All before this offset has been given to the lanes. */
    void read(int partition, long offset) {
        read.setRelease(partition, offset);
    }

    long readTo(int partition) {
        return read.getAcquire(partition);
    }

    /** The seq before all that has not been given to the lanes. */
    long seqRead(int partition) {
        return seqOf(partition, readTo(partition) - 1);
    }

    /** The seq of a record that was read. */
    long seqOf(int partition, long offset) {
        return Seqs.of(Math.max(0, leaderEpochs.at(partition, offset)), offset);
    }

    /** Whether the message with this seq, and all before it, has been given to the lanes. */
    boolean isRead(int partition, long seq) {
        return Seqs.end(seq) <= readTo(partition);
    }
}
