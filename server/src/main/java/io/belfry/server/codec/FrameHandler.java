package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;

/**
 * What a {@link WebSocketFrameDecoder} tells. The buffers are the decoder's or the reader's own: their bytes are right
 * until the call returns, their indices mean nothing, and nobody releases or moves them here. After {@link #onClose}
 * or {@link #onFailure}, one of them at most, nothing more comes.
 */
public interface FrameHandler {
    /** Whether nothing more is to be decoded for now. */
    default boolean isHeld() {
        return false;
    }

    /** A whole message; text is valid UTF-8. */
    void onMessage(ByteBuf buf, int offset, int length, boolean text);

    /** At most 125 bytes, to come back in a pong. */
    void onPing(ByteBuf buf, int offset, int length);

    void onPong(ByteBuf buf, int offset, int length);

    /** The client closes: the code it gave, {@link WebSocketFrames#CLOSE_WITHOUT_CODE} for none. */
    void onClose(int code, String reason);

    /** The client broke a rule or a bound: the connection is to be closed with the code's close code. */
    void onFailure(Code code, String reason);
}
