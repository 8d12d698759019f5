package io.belfry.protocol;

import static io.belfry.protocol.JsonText.ascii;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Puts what is appended between {@link #begin} and {@link #end} into a frame or a chunk. The header goes in front of a
 * length that is not known yet, so room for it is guessed from below; a guess that was too small moves the payload, which
 * only messages with many escapes near a boundary ever see. Immutable.
 */
enum Framing {
    TEXT_FRAME(0x81, "", ""),
    BINARY_FRAME(0x82, "", ""),
    SSE_CHUNK(0, "\n\n", "3\r\n:\n\n\r\n"),
    LINE_CHUNK(0, "\n", "1\r\n\n\r\n");

    /** RFC 6455, section 5.2: lengths below this stand in the second byte, up to 2^16 in two more, else in eight. */
    private static final int SHORT_FRAME = 126;

    private static final int MEDIUM_FRAME = 1 << 16;
    private static final int CLOSE_FRAME = 0x88;
    private static final int PING_FRAME = 0x89;
    private static final int CLOSE_REASON_MAX = 123;

    /** Leading zeros are allowed in a chunk's size (RFC 9112, section 7.1), so its room need not be guessed. */
    private static final int CHUNK_DIGITS = 8;

    private static final int CRLF = '\r' << 8 | '\n';
    private static final byte[] HEX = ascii("0123456789abcdef");
    private static final byte[] LAST_CHUNK = ascii("0\r\n\r\n");

    private final int firstByte;
    private final String tail;
    private final String idleChunk;

    Framing(int firstByte, String tail, String idleChunk) {
        this.firstByte = firstByte;
        this.tail = tail;
        this.idleChunk = idleChunk;
    }

    void keepAlive(ByteBuf out) {
        if (isChunk()) {
            ByteBufUtil.writeAscii(out, idleChunk);
        } else {
            out.writeByte(PING_FRAME).writeByte(0);
        }
    }

    /** Leaves room for the header of a payload of at least {@code payloadMin}; where the frame starts. */
    int begin(ByteBuf out, int payloadMin) {
        int start = out.writerIndex();
        int header = isChunk() ? CHUNK_DIGITS + 2 : frameHeader(payloadMin);
        out.ensureWritable(header);
        out.writerIndex(start + header);
        return start;
    }

    /** {@code payloadMin} is what {@link #begin} was told. */
    void end(ByteBuf out, int start, int payloadMin) {
        if (isChunk()) {
            endChunk(out, start);
        } else {
            endFrame(out, start, frameHeader(payloadMin));
        }
    }

    private boolean isChunk() {
        return firstByte == 0;
    }

    private void endChunk(ByteBuf out, int start) {
        ByteBufUtil.writeAscii(out, tail);
        int size = out.writerIndex() - start - CHUNK_DIGITS - 2;
        for (int i = 0; i < CHUNK_DIGITS; i++) {
            out.setByte(start + i, HEX[(size >>> (4 * (CHUNK_DIGITS - 1 - i))) & 0xf]);
        }
        out.setShort(start + CHUNK_DIGITS, CRLF);
        out.writeShort(CRLF);
    }

    private void endFrame(ByteBuf out, int start, int reserved) {
        int length = out.writerIndex() - start - reserved;
        int header = frameHeader(length);
        if (header > reserved) {
            shift(out, start + reserved, length, header - reserved);
        }
        setHeader(out, start, firstByte, length);
    }

    private static void setHeader(ByteBuf out, int start, int firstByte, int length) {
        int header = frameHeader(length);
        out.setByte(start, firstByte);
        if (header == 2) {
            out.setByte(start + 1, length);
        } else if (header == 4) {
            out.setByte(start + 1, SHORT_FRAME);
            out.setShort(start + 2, length);
        } else {
            out.setByte(start + 1, SHORT_FRAME + 1);
            out.setLong(start + 2, length);
        }
    }

    /** Appends the header of a frame whose payload follows. */
    static void writeHeader(ByteBuf out, int firstByte, int length) {
        int start = out.writerIndex();
        int header = frameHeader(length);
        out.ensureWritable(header).writerIndex(start + header);
        setHeader(out, start, firstByte, length);
    }

    /** How long the header of the frame is that begins here. */
    static int headerLength(ByteBuf frame, int start) {
        return switch (frame.getUnsignedByte(start + 1)) {
            case SHORT_FRAME -> 4;
            case SHORT_FRAME + 1 -> 10;
            default -> 2;
        };
    }

    private static int frameHeader(int length) {
        return length < SHORT_FRAME ? 2 : length < MEDIUM_FRAME ? 4 : 10;
    }

    /** Moves bytes towards the end, the last first: the ranges overlap. */
    private static void shift(ByteBuf out, int from, int length, int by) {
        out.writeZero(by);
        int i = from + length;
        while (i - from >= Long.BYTES) {
            i -= Long.BYTES;
            out.setLong(i + by, out.getLong(i));
        }
        while (i > from) {
            i--;
            out.setByte(i + by, out.getByte(i));
        }
    }

    void close(ByteBuf out, Code code) {
        if (isChunk()) {
            out.writeBytes(LAST_CHUNK);
            return;
        }
        String reason = code.text();
        assert reason.length() <= CLOSE_REASON_MAX;
        out.writeByte(CLOSE_FRAME).writeByte(2 + reason.length()).writeShort(code.closeCode());
        ByteBufUtil.writeAscii(out, reason);
    }
}
