package io.belfry.fuzz;

import io.belfry.protocol.FrameDeflater;
import io.belfry.server.codec.MessageInflater;
import io.belfry.server.codec.WebSocketFrames;
import io.belfry.server.codec.WebSocketLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.HexFormat;

/** Compression: a frame that the server compressed decodes to the original message. */
public final class DeflateTarget {
    private static final FrameDeflater DEFLATER = new FrameDeflater(1);
    private static final WebSocketLimits LIMITS = new WebSocketLimits(1 << 20, 16, 64, new MessageInflater(1032));
    private static final int MASKED = 0x80;

    private DeflateTarget() {}

    /** Called by Jazzer and by {@link CorpusTest} for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        ByteBuf frame = Unpooled.directBuffer();
        WebSocketFrames.writeHeader(frame, WebSocketFrames.BINARY, input.length);
        frame.writeBytes(input);
        int before = frame.readableBytes();
        int saved = DEFLATER.deflate(frame, 0);
        SplitInput.require(saved == before - frame.readableBytes() && saved >= 0, "wrong number of saved bytes");
        DecodedFrames frames = new DecodedFrames(LIMITS);
        frames.accept(masked(frame));
        frame.release();
        String expected = "binary " + HexFormat.of().formatHex(input) + "\n";
        SplitInput.require(frames.result().equals(expected), "the message changed");
    }

    /** Masks with zero, so only the header changes. */
    private static byte[] masked(ByteBuf frame) {
        int length = frame.getUnsignedByte(1);
        int header = length < 126 ? 2 : length == 126 ? 4 : 10;
        ByteBuf out = Unpooled.buffer();
        out.writeBytes(frame, 0, header).writeInt(0).writeBytes(frame, header, frame.readableBytes() - header);
        out.setByte(1, length | MASKED);
        return ByteBufUtil.getBytes(out);
    }
}
