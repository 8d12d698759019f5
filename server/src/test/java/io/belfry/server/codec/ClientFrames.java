package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;

/** Writes frames as a client does, both valid and invalid ones. */
final class ClientFrames {
    private final ByteBuf out = Unpooled.buffer();
    private final Random masks;

    ClientFrames() {
        this(new Random(13));
    }

    ClientFrames(Random masks) {
        this.masks = masks;
    }

    ClientFrames text(String text) {
        return frame(0x81, text.getBytes(StandardCharsets.UTF_8));
    }

    ClientFrames ping(String text) {
        return frame(0x89, text.getBytes(StandardCharsets.UTF_8));
    }

    ClientFrames close(int code, String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        return frame(0x88, Unpooled.buffer().writeShort(code).writeBytes(text));
    }

    ClientFrames hex(int first, String payload) {
        return frame(first, HexFormat.of().parseHex(payload));
    }

    ClientFrames frame(int first, byte... payload) {
        return frame(first, Unpooled.wrappedBuffer(payload));
    }

    private ClientFrames frame(int first, ByteBuf payload) {
        int length = payload.readableBytes();
        header(first, length);
        int mask = masks.nextInt();
        out.writeInt(mask);
        for (int i = 0; i < length; i++) {
            out.writeByte(payload.getByte(i) ^ mask >>> (24 - 8 * (i & 3)));
        }
        return this;
    }

    /** Writes a frame's header without its mask. */
    ClientFrames header(int first, long length) {
        out.writeByte(first);
        if (length < 126) {
            out.writeByte(0x80 | (int) length);
        } else if (length <= 0xffff) {
            out.writeByte(0x80 | 126).writeShort((int) length);
        } else {
            out.writeByte(0x80 | 127).writeLong(length);
        }
        return this;
    }

    ClientFrames raw(String hex) {
        out.writeBytes(HexFormat.of().parseHex(hex));
        return this;
    }

    byte[] bytes() {
        byte[] bytes = new byte[out.readableBytes()];
        out.getBytes(out.readerIndex(), bytes);
        return bytes;
    }
}
