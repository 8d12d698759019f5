package io.belfry.server.codec;

import org.jspecify.annotations.Nullable;

/**
 * The bounds of what one WebSocket may send; one object for all connections of a kind. Immutable, but for the inflater,
 * which belongs to a loop.
 *
 * @param messageBytesMax of one message, its fragments together
 * @param fragmentsMax of one message, empty ones included: each costs a header and a turn, whatever it carries
 * @param firstBytesMax what a message that comes in pieces gets at first, however much its client announces
 * @param inflater for compressed messages; null where compression was not negotiated, and they are an error
 */
public record WebSocketLimits(
        int messageBytesMax,
        int fragmentsMax,
        int firstBytesMax,
        @Nullable MessageInflater inflater) {
    private static final int FRAGMENTS_MAX = 1024;
    private static final int FRAGMENT_BYTES = 64;

    public WebSocketLimits {
        if (messageBytesMax < 1 || fragmentsMax < 1 || firstBytesMax < 1) {
            throw new IllegalArgumentException(
                    "Bounds are at least 1: " + messageBytesMax + ", " + fragmentsMax + ", " + firstBytesMax);
        }
    }

    /** Allows fragments of 64 bytes for the largest message, and 1,024 of any size. */
    public static WebSocketLimits of(int messageBytesMax, int firstBytesMax) {
        return new WebSocketLimits(
                messageBytesMax, Math.max(FRAGMENTS_MAX, messageBytesMax / FRAGMENT_BYTES), firstBytesMax, null);
    }

    /** The same for connections that negotiated compression. The bounds hold before and after a message is inflated. */
    public WebSocketLimits with(MessageInflater inflater) {
        return new WebSocketLimits(messageBytesMax, fragmentsMax, firstBytesMax, inflater);
    }
}
