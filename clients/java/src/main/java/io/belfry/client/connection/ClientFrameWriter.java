package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;

/** Writes WebSocket frames of a client (RFC 6455): final and masked. Pure. */
public final class ClientFrameWriter {
    /** Opcode of a continuation frame. */
    public static final int CONTINUATION = 0;
    /** Opcode of a text frame. */
    public static final int TEXT = 1;
    /** Opcode of a binary frame. */
    public static final int BINARY = 2;
    /** Opcode of a Close frame. */
    public static final int CLOSE = 8;
    /** Opcode of a ping. */
    public static final int PING = 9;
    /** Opcode of a pong. */
    public static final int PONG = 10;

    /** Maximum length of a header, in bytes. */
    public static final int CLIENT_HEADER_MAX = 14;

    private static final int FINAL = 0x80;
    private static final int MASKED = 0x80;

    private ClientFrameWriter() {}

    /** Appends a frame with the readable bytes of {@code payload}, which are masked in place and so overwritten. */
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
