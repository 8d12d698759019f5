package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;

/** Frames of RFC 6455 as a client writes them: final, masked. Pure functions. */
public final class Frames {
    public static final int CONTINUATION = 0;
    public static final int TEXT = 1;
    public static final int BINARY = 2;
    public static final int CLOSE = 8;
    public static final int PING = 9;
    public static final int PONG = 10;

    /** The most a frame adds to its payload. */
    public static final int CLIENT_HEADER_MAX = 14;

    private static final int FINAL = 0x80;
    private static final int MASKED = 0x80;

    private Frames() {}

    /** Appends a frame with the readable bytes of {@code payload}, which are masked where they lie: spent. */
    public static void write(ByteBuf out, int opcode, ByteBuf payload, int mask) {
        write(out, opcode, payload, payload.readerIndex(), payload.readableBytes(), mask);
    }

    static void write(ByteBuf out, int opcode, ByteBuf payload, int offset, int length, int mask) {
        out.ensureWritable(CLIENT_HEADER_MAX + length);
        out.writeByte(FINAL | opcode);
        if (length < 126) {
            out.writeByte(MASKED | length);
        } else if (length < 1 << 16) {
            out.writeByte(MASKED | 126).writeShort(length);
        } else {
            out.writeByte(MASKED | 127).writeLong(length);
        }
        out.writeInt(mask);
        mask(payload, offset, length, mask);
        out.writeBytes(payload, offset, length);
    }

    private static void mask(ByteBuf bytes, int offset, int length, int mask) {
        long wideMask = ((long) mask << 32) | (mask & 0xffff_ffffL);
        int at = offset;
        int end = offset + length;
        for (; at + 8 <= end; at += 8) {
            bytes.setLong(at, bytes.getLong(at) ^ wideMask);
        }
        for (int shift = 24; at < end; at++, shift = (shift - 8) & 31) {
            bytes.setByte(at, bytes.getByte(at) ^ (mask >>> shift));
        }
    }
}
