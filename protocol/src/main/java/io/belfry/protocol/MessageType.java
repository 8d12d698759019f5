package io.belfry.protocol;

import org.jspecify.annotations.Nullable;

/** Why a message is delivered. The order of the constants is the number in the binary encoding. */
public enum MessageType {
    /** Published just now. */
    LIVE("live"),
    /** The retained message, sent upon subscribing. */
    SNAPSHOT("snapshot"),
    /** An earlier message the subscriber asked for by count. */
    HISTORY("history"),
    /** An earlier message after the position the subscriber resumed from, or after a stall. */
    RECOVERED("recovered");

    private static final MessageType[] ALL = values();

    private final String text;

    MessageType(String text) {
        this.text = text;
    }

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
