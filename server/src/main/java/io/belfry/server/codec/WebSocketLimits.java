package io.belfry.server.codec;

import org.jspecify.annotations.Nullable;

/**
 * The bounds on the messages of a WebSocket; connections with the same bounds share one object. Immutable except for
 * the inflater, which belongs to a loop.
 *
 * @param messageBytesMax maximum size of a message, all fragments together
 * @param fragmentsMax maximum number of fragments of a message; an empty fragment counts, because it costs processing
 *     too
 * @param firstBytesMax maximum size of the first buffer of a partial message, whatever length its client announces
 * @param inflater inflates compressed messages; null if compression was not negotiated, and such messages are an
 *     error
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
                    "bounds must be at least 1: " + messageBytesMax + ", " + fragmentsMax + ", " + firstBytesMax);
        }
    }

    /**
     * Returns bounds that allow fragments of 64 bytes for the largest message, and at least 1,024 fragments of any
     * size.
     */
    public static WebSocketLimits of(int messageBytesMax, int firstBytesMax) {
        return new WebSocketLimits(
                messageBytesMax, Math.max(FRAGMENTS_MAX, messageBytesMax / FRAGMENT_BYTES), firstBytesMax, null);
    }

    /** Returns the same bounds with compression. They apply to a message both before and after inflating. */
    public WebSocketLimits with(MessageInflater inflater) {
        return new WebSocketLimits(messageBytesMax, fragmentsMax, firstBytesMax, inflater);
    }
}
