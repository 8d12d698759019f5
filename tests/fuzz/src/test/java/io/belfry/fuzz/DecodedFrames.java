package io.belfry.fuzz;

import io.belfry.protocol.Code;
import io.belfry.server.codec.WebSocketFrameDecoder;
import io.belfry.server.codec.WebSocketLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The result of the server's frame decoder, as text. Owner: one call of a target. */
final class DecodedFrames extends WebSocketFrameDecoder implements SplitInput.Reader {
    private final WebSocketLimits limits;
    private final StringBuilder result = new StringBuilder();
    private boolean over;

    DecodedFrames(WebSocketLimits limits) {
        super(limits);
        this.limits = limits;
    }

    @Override
    public void accept(byte[] bytes) {
        onBytes(Unpooled.wrappedBuffer(bytes));
        SplitInput.require(isFinished() == over, "the decoder's state does not match the end");
    }

    @Override
    public String result() {
        release();
        return result.toString();
    }

    private void add(String what, ByteBuf buffer, int offset, int length) {
        SplitInput.require(!over, "a frame after the end");
        result.append(what)
                .append(' ')
                .append(ByteBufUtil.hexDump(buffer, offset, length))
                .append('\n');
    }

    @Override
    protected void onMessage(ByteBuf buffer, int offset, int length, boolean text) {
        SplitInput.require(length <= limits.messageBytesMax(), "the message exceeds its limit");
        if (text) {
            requireUtf8(ByteBufUtil.getBytes(buffer, offset, length));
        }
        add(text ? "text" : "binary", buffer, offset, length);
    }

    private static void requireUtf8(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
        } catch (CharacterCodingException e) {
            throw new AssertionError("the text is not UTF-8", e);
        }
    }

    @Override
    protected void onPing(ByteBuf buffer, int offset, int length) {
        SplitInput.require(length <= 125, "the control frame is too long");
        add("ping", buffer, offset, length);
    }

    @Override
    protected void onPong(ByteBuf buffer, int offset, int length) {
        SplitInput.require(length <= 125, "the control frame is too long");
        add("pong", buffer, offset, length);
    }

    @Override
    protected void onClose(int code, String reason) {
        SplitInput.require(!over, "more than one end");
        over = true;
        result.append("close ").append(code).append(' ').append(reason);
    }

    @Override
    protected void onFailure(Code code, String reason) {
        SplitInput.require(!over, "more than one end");
        over = true;
        result.append("failure ").append(code.text());
    }
}
