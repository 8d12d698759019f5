package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Records every event as a line of text. */
class RecordedFrames implements FrameHandler {
    final List<String> events = new ArrayList<>();

    @Override
    public void onMessage(ByteBuf buf, int offset, int length, boolean text) {
        events.add(
                text
                        ? "text " + buf.toString(offset, length, StandardCharsets.UTF_8)
                        : "binary " + ByteBufUtil.hexDump(buf, offset, length));
    }

    @Override
    public void onPing(ByteBuf buf, int offset, int length) {
        events.add("ping " + buf.toString(offset, length, StandardCharsets.UTF_8));
    }

    @Override
    public void onPong(ByteBuf buf, int offset, int length) {
        events.add("pong " + buf.toString(offset, length, StandardCharsets.UTF_8));
    }

    @Override
    public void onClose(int code, String reason) {
        events.add("close " + code + " " + reason);
    }

    @Override
    public void onFailure(Code code, String reason) {
        events.add("failure " + code.text());
    }
}
