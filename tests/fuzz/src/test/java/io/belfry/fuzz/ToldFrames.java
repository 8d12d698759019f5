package io.belfry.fuzz;

import io.belfry.protocol.Code;
import io.belfry.server.codec.FrameHandler;
import io.belfry.server.codec.WebSocketFrameDecoder;
import io.belfry.server.codec.WebSocketLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** What the server's decoder made of frames, as text. Owner: the target's call. */
final class ToldFrames implements FrameHandler, Pieces.Reader {
    private final WebSocketLimits limits;
    private final WebSocketFrameDecoder decoder;
    private final StringBuilder told = new StringBuilder();
    private boolean over;

    ToldFrames(WebSocketLimits limits) {
        this.limits = limits;
        decoder = new WebSocketFrameDecoder(limits);
    }

    @Override
    public void accept(byte[] bytes) {
        boolean open = decoder.decode(Unpooled.wrappedBuffer(bytes), this);
        Pieces.require(open != over, "false once it is over, and only then");
    }

    @Override
    public String told() {
        decoder.release();
        return told.toString();
    }

    private void tell(String what, ByteBuf buffer, int offset, int length) {
        Pieces.require(!over, "nothing after the end");
        told.append(what)
                .append(' ')
                .append(ByteBufUtil.hexDump(buffer, offset, length))
                .append('\n');
    }

    @Override
    public void onMessage(ByteBuf buffer, int offset, int length, boolean text) {
        Pieces.require(length <= limits.messageBytesMax(), "a message within the bound");
        if (text) {
            requireUtf8(ByteBufUtil.getBytes(buffer, offset, length));
        }
        tell(text ? "text" : "binary", buffer, offset, length);
    }

    private static void requireUtf8(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
        } catch (CharacterCodingException e) {
            throw new AssertionError("text that is UTF-8", e);
        }
    }

    @Override
    public void onPing(ByteBuf buffer, int offset, int length) {
        Pieces.require(length <= 125, "a small control frame");
        tell("ping", buffer, offset, length);
    }

    @Override
    public void onPong(ByteBuf buffer, int offset, int length) {
        Pieces.require(length <= 125, "a small control frame");
        tell("pong", buffer, offset, length);
    }

    @Override
    public void onClose(int code, String reason) {
        Pieces.require(!over, "one end");
        over = true;
        told.append("close ").append(code).append(' ').append(reason);
    }

    @Override
    public void onFailure(Code code, String reason) {
        Pieces.require(!over, "one end");
        over = true;
        told.append("failure ").append(code.text());
    }
}
