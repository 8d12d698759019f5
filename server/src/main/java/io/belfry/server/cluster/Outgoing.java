package io.belfry.server.cluster;

import io.belfry.protocol.Code;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A publish on its way to the log. Answered once, by one of the publisher's threads, with where it was written or why not.
 * Immutable, since nobody changes its bytes.
 */
final class Outgoing {
    private static final int OVERHEAD = 128;

    /** What became of it. */
    sealed interface Answer {
        Outgoing of();

        record Written(Outgoing of, long offset) implements Answer {}

        /** Not written, or perhaps written where the code is {@code PUBLISH_UNKNOWN}. */
        record Failed(Outgoing of, Code code, String reason) implements Answer {}
    }

    private final int partition;
    private final byte[] subject;
    private final byte[] data;
    private final byte @Nullable [] messageId;
    private final long sinceNanos;
    private final Consumer<Answer> answer;

    Outgoing(
            int partition,
            byte[] subject,
            byte[] data,
            byte @Nullable [] messageId,
            long sinceNanos,
            Consumer<Answer> answer) {
        this.partition = partition;
        this.subject = subject;
        this.data = data;
        this.messageId = messageId;
        this.sinceNanos = sinceNanos;
        this.answer = answer;
    }

    int partition() {
        return partition;
    }

    byte[] subject() {
        return subject;
    }

    byte[] data() {
        return data;
    }

    byte @Nullable [] messageId() {
        return messageId;
    }

    /** When it was received. */
    long sinceNanos() {
        return sinceNanos;
    }

    /** What it takes while it waits. */
    int bytes() {
        return OVERHEAD + subject.length + data.length + (messageId == null ? 0 : messageId.length);
    }

    void written(long offset) {
        answer.accept(new Answer.Written(this, offset));
    }

    void failed(Code code, String reason) {
        answer.accept(new Answer.Failed(this, code, reason));
    }
}
