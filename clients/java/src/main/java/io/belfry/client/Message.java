package io.belfry.client;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import java.nio.charset.StandardCharsets;

/**
 * One message for a listener. Immutable except for {@code data}, which belongs to the listener.
 *
 * @param timeMillis time at which the server accepted the message, in milliseconds since 1970
 * @param type live, or why an earlier message is delivered: snapshot, history, recovered
 * @param retained whether the server keeps the message as the subject's retained message
 */
@SuppressWarnings("ArrayRecordComponent") // A message consists of its bytes, and messages are not compared.
public record Message(
        String subject, byte[] data, Position position, long timeMillis, MessageType type, boolean retained)
        implements StreamItem {
    /** Returns the data as UTF-8 text. */
    public String text() {
        return new String(data, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return subject + " " + position + " " + type + ", " + data.length + " bytes";
    }
}
