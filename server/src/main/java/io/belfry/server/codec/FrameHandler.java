package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;

/**
 * Receives the events of a {@link WebSocketFrameDecoder}. The buffers belong to the decoder or to the reader: the
 * handler does not release them, does not change their indices, and uses the bytes only until the call returns.
 * {@link #onClose} or {@link #onFailure} is called at most once and is the last call.
 */
public interface FrameHandler {
    /** Returns whether the decoder must stop decoding for now. */
    default boolean isHeld() {
        return false;
    }

    /** Called before a message that was compressed, with its size after inflating. */
    default void onInflated(int bytes) {
        // Only handlers with a rate limit for inflated bytes override this method.
    }

    /** Called for each complete message; text is valid UTF-8. */
    void onMessage(ByteBuf buf, int offset, int length, boolean text);

    /** Called for each ping; the payload has at most 125 bytes and must be returned in a pong. */
    void onPing(ByteBuf buf, int offset, int length);

    /** Called for each pong. */
    void onPong(ByteBuf buf, int offset, int length);

    /**
     * Called when the client sent a close frame; the code is {@link WebSocketFrames#CLOSE_WITHOUT_CODE} if it had
     * none.
     */
    void onClose(int code, String reason);

    /**
     * Called when the client broke a rule or a bound; the connection must be closed with the close code of {@code
     * code}.
     */
    void onFailure(Code code, String reason);
}
