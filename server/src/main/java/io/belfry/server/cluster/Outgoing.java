package io.belfry.server.cluster;

import io.belfry.protocol.Code;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/**
 * A record on its way to the log. Answered once, by one of the publisher's threads, with its position or the reason of a
 * failure. Immutable, provided that nobody changes its bytes.
 */
final class Outgoing {
    private static final int OVERHEAD = 128;

    /** The outcome of a record. */
    sealed interface Answer {
        record Written(Outgoing of, long offset) implements Answer {}

        /** Not written, or possibly written if the code is {@code PUBLISH_UNKNOWN}. */
        record Failed(Outgoing of, Code code, String reason) implements Answer {}
    }

    private final ProducerRecord<byte[], byte[]> record;
    private final long sinceNanos;
    private final int bytes;
    private final Consumer<Answer> answer;

    /** Creates a record; {@code sinceNanos} is the time at which its publish was received. */
    Outgoing(ProducerRecord<byte[], byte[]> record, long sinceNanos, Consumer<Answer> answer) {
        this.record = record;
        this.sinceNanos = sinceNanos;
        this.answer = answer;
        bytes = bytesOf(record);
    }

    static int bytesOf(ProducerRecord<byte[], byte[]> record) {
        int bytes = OVERHEAD + record.key().length + (record.value() == null ? 0 : record.value().length);
        for (Header header : record.headers()) {
            bytes += header.key().length() + header.value().length;
        }
        return bytes;
    }

    ProducerRecord<byte[], byte[]> record() {
        return record;
    }

    long sinceNanos() {
        return sinceNanos;
    }

    /** Returns the bytes it takes while it is queued. */
    int bytes() {
        return bytes;
    }

    void written(long offset) {
        answer.accept(new Answer.Written(this, offset));
    }

    void failed(Code code, String reason) {
        answer.accept(new Answer.Failed(this, code, reason));
    }
}
