package io.belfry.client;

import io.belfry.protocol.Position;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A message to be published, with the future of its acknowledgement. Immutable except for the future. */
@SuppressWarnings("ArrayRecordComponent") // Bytes for the network, never compared.
record Publish(
        long id,
        byte[] subject,
        String subjectText,
        byte[] data,
        boolean retain,
        @Nullable String msgId,
        long deadlineNanos,
        CompletableFuture<Position> acknowledged) {
    /** Returns the approximate memory of the publish, in bytes. */
    int bytes() {
        return data.length + subject.length + 200;
    }

    /** Whether sending the publish again is safe, because the server detects the repeated msgId. */
    boolean isRepeatable() {
        return msgId != null;
    }
}
