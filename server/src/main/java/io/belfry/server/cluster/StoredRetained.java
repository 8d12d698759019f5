package io.belfry.server.cluster;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A subject as read from the topic of retained messages at the start. Immutable.
 *
 * @param at its latest message in the topic
 * @param last the message stored last, which should be the same
 */
record StoredRetained(
        ConsumerRecord<byte[], byte[]> record, RetainedRecords.At at, RetainedRecords.At last, boolean lastClears) {
    /** Returns the state after a further record, which may have been stored out of order. */
    StoredRetained then(StoredRetained next, long epoch) {
        return next.at.seqIn(epoch) >= at.seqIn(epoch)
                ? next
                : new StoredRetained(record, at, next.at, next.lastClears);
    }

    byte[] subject() {
        return record.key();
    }

    int partition() {
        return record.partition();
    }

    /** Returns the data, or null if the subject was cleared. */
    byte @Nullable [] data() {
        return record.value();
    }
}
