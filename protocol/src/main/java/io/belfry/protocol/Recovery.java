package io.belfry.protocol;

import org.jspecify.annotations.Nullable;

/** How a subscription that asked to resume began. The order of the constants is the number in the binary encoding. */
public enum Recovery {
    /** Nothing is missing: every message after the position asked for follows. */
    COMPLETE("complete"),
    /** Some messages after the position are gone; a gap event says which. */
    GAP("gap"),
    /** Nothing was to recover: no position was asked for. */
    NONE("none");

    private static final Recovery[] ALL = values();

    private final String text;

    Recovery(String text) {
        this.text = text;
    }

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
