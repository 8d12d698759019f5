package io.belfry.client;

import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One message for a listener. Immutable except for {@code data}, which belongs to the listener.
 *
 * @param timeMillis time at which the server accepted the message, in milliseconds since 1970
 * @param type live, or why an earlier message is delivered: snapshot, history, recovered
 * @param retained whether the server keeps the message as the subject's retained message
 * @param headers texts beside the data, by name, in the order of the publisher; empty if there are none
 */
@SuppressWarnings("ArrayRecordComponent") // A message consists of its bytes, and messages are not compared.
public record Message(
        String subject,
        byte[] data,
        Position position,
        long timeMillis,
        MessageType type,
        boolean retained,
        Map<String, String> headers)
        implements StreamItem {
    /** Creates a message without headers. */
    public Message(
            String subject, byte[] data, Position position, long timeMillis, MessageType type, boolean retained) {
        this(subject, data, position, timeMillis, type, retained, Map.of());
    }

    /** Copies a received message. */
    static Message of(String subject, MessageView view) {
        byte[] data = new byte[view.dataLength()];
        view.data().getBytes(view.dataOffset(), data);
        return new Message(
                subject,
                data,
                new Position(view.epoch(), view.seq()),
                view.timeMillis(),
                view.type(),
                view.retained(),
                MessageHeaders.of(view));
    }

    /** Returns the header of this name, or null if the message has none. */
    public @Nullable String header(String name) {
        return headers.get(name);
    }

    /**
     * Returns the name of the user who published the message, which the server set; null if the client was anonymous, or the options
     * of the subject do not ask for it.
     */
    public @Nullable String publisher() {
        return headers.get(MessageHeaders.PUBLISHER);
    }

    /** Returns the data as UTF-8 text. */
    public String text() {
        return new String(data, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return subject + " " + position + " " + type + ", " + data.length + " bytes";
    }
}
