package io.belfry.protocol;

import org.jspecify.annotations.Nullable;

/**
 * The reason why a message is delivered. The binary encoding sends the ordinal, so the order of the constants is fixed.
 */
public enum MessageType {
    /** A message delivered as it is published. */
    LIVE("live"),
    /** The retained message, sent after subscribing. */
    SNAPSHOT("snapshot"),
    /** An earlier message, requested by number of messages. */
    HISTORY("history"),
    /** An earlier message after the position that the subscriber resumed from, or after a stall. */
    RECOVERED("recovered");

    private static final MessageType[] ALL = values();

    private final String text;

    MessageType(String text) {
        this.text = text;
    }

    /** Returns the type as it is written in JSON. */
    public String text() {
        return text;
    }

    static MessageType of(int number) {
        return ALL[number];
    }

    static @Nullable MessageType of(String text) {
        for (MessageType type : ALL) {
            if (type.text.equals(text)) {
                return type;
            }
        }
        return null;
    }
}
