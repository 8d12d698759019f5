package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;

/** Writes the framing of chunks (RFC 9112, section 7.1), as a client or a stream does. Pure functions. */
final class HttpChunks {
    /** Maximum size of a chunk's size line. */
    static final int HEADER_BYTES_MAX = 10;

    private static final int CR_LF = '\r' << 8 | '\n';

    private HttpChunks() {}

    /** Returns the size of the header that {@link #writeHeader} writes for this length, which is above 0. */
    static int headerBytes(int length) {
        return hexDigits(length) + 2;
    }

    static void writeHeader(ByteBuf out, int length) {
        for (int shift = (hexDigits(length) - 1) * 4; shift >= 0; shift -= 4) {
            int digit = length >>> shift & 0xf;
            out.writeByte(digit < 10 ? '0' + digit : 'a' + digit - 10);
        }
        out.writeShort(CR_LF);
    }

    /** Writes the end of one chunk. */
    static void writeEnd(ByteBuf out) {
        out.writeShort(CR_LF);
    }

    /** Writes the last chunk, which ends the body. */
    static void writeLast(ByteBuf out) {
        out.writeByte('0');
        out.writeShort(CR_LF);
        out.writeShort(CR_LF);
    }

    private static int hexDigits(int length) {
        return Math.max(1, (35 - Integer.numberOfLeadingZeros(length)) / 4);
    }
}
