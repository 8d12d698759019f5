package io.belfry.client;

import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishTerms;
import java.util.concurrent.CompletableFuture;

/** A message to be published, with the future of its acknowledgement. Immutable except for the future. */
@SuppressWarnings("ArrayRecordComponent") // Bytes for the network, never compared.
record Publish(
        long id,
        byte[] subject,
        String subjectText,
        byte[] data,
        PublishTerms terms,
        long deadlineNanos,
        CompletableFuture<Position> acknowledged) {
    /** Returns the approximate memory of the publish, in bytes. */
    int bytes() {
        return contentBytes() + subject.length + 200;
    }

    /** Returns the bytes of data and headers, which the server's limit of a message concerns. */
    int contentBytes() {
        return data.length + MessageHeaders.bytes(terms.headers());
    }

    /** Whether sending the publish again is safe, because the server detects the repeated msgId. */
    boolean isRepeatable() {
        return terms.msgId() != null;
    }
}
