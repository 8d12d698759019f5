package io.belfry.protocol;

import org.jspecify.annotations.Nullable;

/**
 * The position of a message in the order of one subject. Positions of one epoch compare by seq; positions of different
 * epochs do not compare. Immutable.
 *
 * @param epoch identifies a period in which positions are continuous, 0 to 2^53
 * @param seq grows with each message of the subject, 0 (before the first message) to 2^53
 */
public record Position(long epoch, long seq) {
    /** The largest whole number that every JSON reader represents exactly. */
    public static final long MAX = 1L << 53;

    private static final int DIGITS_MAX = 16;

    public Position {
        if (epoch < 0 || epoch > MAX || seq < 0 || seq > MAX) {
            throw new IllegalArgumentException("position " + epoch + ":" + seq + " is outside 0..2^53");
        }
    }

    /** Parses {@code epoch:seq}; returns null for any other text. */
    public static @Nullable Position parse(CharSequence text) {
        int colon = 0;
        while (colon < text.length() && text.charAt(colon) != ':') {
            colon++;
        }
        long epoch = number(text, 0, colon);
        long seq = number(text, colon + 1, text.length());
        return epoch < 0 || seq < 0 ? null : new Position(epoch, seq);
    }

    private static long number(CharSequence text, int from, int to) {
        if (to - from < 1 || to - from > DIGITS_MAX) {
            return -1;
        }
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value > MAX ? -1 : value;
    }

    /** Returns {@code epoch:seq}, the text that {@link #parse} accepts. */
    @Override
    public String toString() {
        return epoch + ":" + seq;
    }
}
