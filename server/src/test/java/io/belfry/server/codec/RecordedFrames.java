package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Records every event as a line of text. */
class RecordedFrames extends WebSocketFrameDecoder {
    final List<String> events = new ArrayList<>();

    RecordedFrames(WebSocketLimits limits) {
        super(limits);
    }

    @Override
    protected void onMessage(ByteBuf buf, int offset, int length, boolean text) {
        events.add(
                text
                        ? "text " + buf.toString(offset, length, StandardCharsets.UTF_8)
                        : "binary " + ByteBufUtil.hexDump(buf, offset, length));
    }

    @Override
    protected void onPing(ByteBuf buf, int offset, int length) {
        events.add("ping " + buf.toString(offset, length, StandardCharsets.UTF_8));
    }

    @Override
    protected void onPong(ByteBuf buf, int offset, int length) {
        events.add("pong " + buf.toString(offset, length, StandardCharsets.UTF_8));
    }

    @Override
    protected void onClose(int code, String reason) {
        events.add("close " + code + " " + reason);
    }

    @Override
    protected void onFailure(Code code, String reason) {
        events.add("failure " + code.text());
    }
}
