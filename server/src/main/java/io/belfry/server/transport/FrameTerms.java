package io.belfry.server.transport;

import io.belfry.server.codec.MessageInflater;
import io.belfry.server.codec.WebSocketLimits;
import io.belfry.server.config.MessageConfig;

/**
 * The bounds on WebSocket messages of the clients of one loop, by path and compression. Owner: the loop, because of the
 * inflater.
 */
final class FrameTerms {
    private static final int ECHO_BYTES_MAX = 64 << 20;
    private static final int FRAME_BYTES_MAX = 1 << 30;

    /** Factor for JSON escapes: a message consisting of escaped control characters is still within the limit. */
    private static final int JSON_ESCAPE_CHARS = 6;

    private static final int COMMAND_BYTES = 4096;

    private final WebSocketLimits plain;
    private final WebSocketLimits plainEcho;
    private final WebSocketLimits deflated;
    private final WebSocketLimits deflatedEcho;

    FrameTerms(MessageConfig messages) {
        plain = WebSocketLimits.of(frameBytesMax(messages.maxMessageSize()), messages.receiveBufferInitial());
        plainEcho = WebSocketLimits.of(ECHO_BYTES_MAX, messages.receiveBufferInitial());
        MessageInflater inflater = new MessageInflater(messages.compression().inflateRatioMax());
        deflated = plain.with(inflater);
        deflatedEcho = plainEcho.with(inflater);
    }

    private static int frameBytesMax(int messageBytesMax) {
        return (int) Math.min(FRAME_BYTES_MAX, (long) messageBytesMax * JSON_ESCAPE_CHARS + COMMAND_BYTES);
    }

    WebSocketLimits commands(boolean compressed) {
        return compressed ? deflated : plain;
    }

    WebSocketLimits echo(boolean compressed) {
        return compressed ? deflatedEcho : plainEcho;
    }
}
