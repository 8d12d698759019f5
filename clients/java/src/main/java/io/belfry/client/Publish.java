package io.belfry.client;

import io.belfry.protocol.Position;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One message on its way to the server. Immutable but for its future. */
@SuppressWarnings("ArrayRecordComponent") // Bytes for the wire, never compared.
record Publish(
        long id,
        byte[] subject,
        String subjectText,
        byte[] data,
        boolean retain,
        @Nullable String msgId,
        long deadlineNanos,
        CompletableFuture<Position> acknowledged) {
    /** About what it takes while it waits. */
    int bytes() {
        return data.length + subject.length + 200;
    }

    boolean isRepeatable() {
        return msgId != null;
    }
}
