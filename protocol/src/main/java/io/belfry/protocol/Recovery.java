package io.belfry.protocol;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a request to resume a subscription. The binary encoding sends the ordinal, so the order of the
 * constants is fixed.
 */
public enum Recovery {
    /** Every message after the requested position follows. */
    COMPLETE("complete"),
    /** Some messages after the position are no longer available; a gap event names them. */
    GAP("gap"),
    /** No position was requested. */
    NONE("none");

    private static final Recovery[] ALL = values();

    private final String text;

    Recovery(String text) {
        this.text = text;
    }

    /** Returns the outcome as it is written in JSON. */
    public String text() {
        return text;
    }

    static @Nullable Recovery of(int number) {
        return number < ALL.length ? ALL[number] : null;
    }

    static @Nullable Recovery of(String text) {
        for (Recovery recovery : ALL) {
            if (recovery.text.equals(text)) {
                return recovery;
            }
        }
        return null;
    }
}
