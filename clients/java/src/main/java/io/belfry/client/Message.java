package io.belfry.client;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import java.nio.charset.StandardCharsets;

/**
 * One message as a listener gets it. Immutable but for {@code data}, which is the listener's own.
 *
 * @param timeMillis when the server took it, since 1970
 * @param type live, or why an earlier one comes: snapshot, history, recovered
 * @param retained whether the server keeps it as the subject's retained message
 */
@SuppressWarnings("ArrayRecordComponent") // Bytes are what a message is, and nobody compares messages.
public record Message(
        String subject, byte[] data, Position position, long timeMillis, MessageType type, boolean retained) {
    /** The data as UTF-8. */
    public String text() {
        return new String(data, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return subject + " " + position + " " + type + ", " + data.length + " bytes";
    }
}
