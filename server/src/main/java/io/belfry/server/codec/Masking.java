package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;

/** Unmasks payloads (RFC 6455, section 5.3), in place and eight bytes at a time. Pure. */
final class Masking {
    private static final long HIGH_BITS = 0x8080808080808080L;

    private Masking() {}

    /** Returns the mask rotated for payload bytes that follow {@code done} other bytes of their frame. */
    static int rotated(int mask, int done) {
        return Integer.rotateLeft(mask, (done & 3) * 8);
    }

    /** Unmasks the range and returns whether all of it is ASCII, in which case the text needs no UTF-8 validation. */
    static boolean unmask(ByteBuf buf, int offset, int length, int mask) {
        long wideMask = (mask & 0xffffffffL) << 32 | (mask & 0xffffffffL);
        long seen = 0;
        int at = offset;
        int end = offset + length;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            long word = buf.getLong(at) ^ wideMask;
            buf.setLong(at, word);
            seen |= word;
        }
        for (int shift = 24; at < end; at++, shift -= 8) {
            // Up to seven bytes are left: the mask repeats after four bytes, and shifts are computed modulo 32.
            byte b = (byte) (buf.getByte(at) ^ mask >>> shift);
            buf.setByte(at, b);
            seen |= b & 0x80;
        }
        return (seen & HIGH_BITS) == 0;
    }
}
