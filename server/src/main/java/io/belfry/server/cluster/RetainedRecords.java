package io.belfry.server.cluster;

import io.belfry.protocol.Subjects;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * The format of the records in {@code Kafka.RetainedTopic}. Pure functions.
 *
 * <p>The key is the subject, the value is the data, or null for a cleared subject. The header {@code at} has three
 * numbers of 64 bits: epoch, seq and time of the message. The key {@code through}, which is no subject, stores up to which
 * seq of the log's same partition everything is stored here; other such keys are those of {@link Incarnations}.
 */
final class RetainedRecords {
    private static final String AT = "at";
    private static final byte[] THROUGH = "through".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] EMPTY = {};
    private static final int SUBJECT_BYTES_MAX = 255;

    /** The identity of a message. */
    record At(long epoch, long seq, long time) {
        /** Returns the seq in the wanted epoch; a message of another log precedes all messages of this one. */
        long seqIn(long wanted) {
            return epoch == wanted ? seq : 0;
        }

        private List<Header> headers() {
            byte[] value = ByteBuffer.allocate(3 * Long.BYTES)
                    .putLong(epoch)
                    .putLong(seq)
                    .putLong(time)
                    .array();
            return List.of(new RecordHeader(AT, value));
        }
    }

    private RetainedRecords() {}

    /** Returns the record of a message with these headers; without data it clears the retained message. */
    static ProducerRecord<byte[], byte[]> of(
            String topic, int partition, byte[] subject, At at, byte @Nullable [] data, List<Header> headers) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, partition, null, subject, data, at.headers());
        headers.forEach(record.headers()::add);
        return record;
    }

    static ProducerRecord<byte[], byte[]> through(String topic, int partition, At at) {
        return note(topic, partition, THROUGH, at);
    }

    /** Returns a record that belongs to no subject. */
    static ProducerRecord<byte[], byte[]> note(String topic, int partition, byte[] key, At at) {
        return new ProducerRecord<>(topic, partition, null, key, EMPTY, at.headers());
    }

    static boolean isThrough(ConsumerRecord<byte[], byte[]> record) {
        return java.util.Arrays.equals(record.key(), THROUGH);
    }

    /** Returns the message of the record, or null if it was not written by a Belfry node. */
    static @Nullable At at(ConsumerRecord<byte[], byte[]> record) {
        Header header = record.headers().lastHeader(AT);
        if (header == null || header.value() == null || header.value().length != 3 * Long.BYTES) {
            return null;
        }
        ByteBuffer value = ByteBuffer.wrap(header.value());
        return record.key() != null
                        && (isThrough(record) || Incarnations.isKey(record.key()) || isSubject(record.key()))
                ? new At(value.getLong(), value.getLong(), value.getLong())
                : null;
    }

    private static boolean isSubject(byte[] key) {
        return key.length <= SUBJECT_BYTES_MAX
                && Subjects.problem(key, 0, key.length, false, Subjects.isOfServer(key)) == null;
    }
}
