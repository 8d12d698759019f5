package io.belfry.protocol;

import static io.belfry.protocol.JsonText.ascii;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Puts the bytes appended between {@link #begin} and {@link #end} into a frame or chunk. The header precedes a payload
 * whose length is not known yet, so {@link #begin} reserves room for a minimum length. If the header needs more room,
 * {@link #end} moves the payload; this happens only to messages with many escapes near a boundary. A stream of HTTP/1.0 has
 * no chunks: its events follow each other without a header, and it ends with the connection. Immutable.
 */
enum Framing {
    TEXT_FRAME(Kind.FRAME, 0x81, "", ""),
    BINARY_FRAME(Kind.FRAME, 0x82, "", ""),
    SSE_CHUNK(Kind.CHUNK, 0, "\n\n", "3\r\n:\n\n\r\n"),
    LINE_CHUNK(Kind.CHUNK, 0, "\n", "1\r\n\n\r\n"),
    SSE_UNCHUNKED(Kind.UNCHUNKED, 0, "\n\n", ":\n\n"),
    LINE_UNCHUNKED(Kind.UNCHUNKED, 0, "\n", "\n");

    private enum Kind {
        FRAME,
        CHUNK,
        UNCHUNKED
    }

    /**
     * RFC 6455, section 5.2: lengths below this value are in the second byte, lengths up to 2^16 in two more bytes,
     * others in eight.
     */
    private static final int SHORT_FRAME = 126;

    private static final int MEDIUM_FRAME = 1 << 16;
    private static final int CLOSE_FRAME = 0x88;
    private static final int PING_FRAME = 0x89;
    private static final int CLOSE_REASON_MAX = 123;

    /** The size of a chunk may have leading zeros (RFC 9112, section 7.1), so its width is fixed. */
    private static final int CHUNK_DIGITS = 8;

    private static final int CRLF = '\r' << 8 | '\n';
    private static final byte[] HEX = ascii("0123456789abcdef");
    private static final byte[] LAST_CHUNK = ascii("0\r\n\r\n");

    private final Kind kind;
    private final int firstByte;
    private final String tail;
    private final String idle;

    Framing(Kind kind, int firstByte, String tail, String idle) {
        this.kind = kind;
        this.firstByte = firstByte;
        this.tail = tail;
        this.idle = idle;
    }

    void keepAlive(ByteBuf out) {
        if (kind == Kind.FRAME) {
            out.writeByte(PING_FRAME).writeByte(0);
        } else {
            ByteBufUtil.writeAscii(out, idle);
        }
    }

    boolean isFrame() {
        return kind == Kind.FRAME;
    }

    boolean isEventStream() {
        return this == SSE_CHUNK || this == SSE_UNCHUNKED;
    }

    /**
     * Reserves room for the header of a payload of at least {@code payloadMin} bytes; returns the index where the frame
     * starts.
     */
    int begin(ByteBuf out, int payloadMin) {
        int start = out.writerIndex();
        int header = room(payloadMin);
        out.ensureWritable(header);
        out.writerIndex(start + header);
        return start;
    }

    /** Returns the bytes reserved for the header. */
    private int room(int payloadMin) {
        return switch (kind) {
            case FRAME -> frameHeader(payloadMin);
            case CHUNK -> CHUNK_DIGITS + 2;
            case UNCHUNKED -> 0;
        };
    }

    /** Completes the frame that starts at {@code start}; {@code payloadMin} has the value passed to {@link #begin}. */
    void end(ByteBuf out, int start, int payloadMin) {
        switch (kind) {
            case FRAME -> endFrame(out, start, frameHeader(payloadMin));
            case CHUNK -> endChunk(out, start);
            case UNCHUNKED -> ByteBufUtil.writeAscii(out, tail);
        }
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

    /** Returns the length of the header of the frame at {@code start}. */
    static int headerLength(ByteBuf frame, int start) {
        return switch (frame.getUnsignedByte(start + 1)) {
            case SHORT_FRAME -> 4;
            case SHORT_FRAME + 1 -> 10;
            default -> 2;
        };
    }

    /** Returns the index where the last of the frames from {@code start} to the end of the buffer starts. */
    static int lastFrame(ByteBuf frames, int start) {
        int last = start;
        for (int next = start; next < frames.writerIndex(); next += frameLength(frames, next)) {
            last = next;
        }
        return last;
    }

    private static int frameLength(ByteBuf frame, int start) {
        int header = headerLength(frame, start);
        return header
                + switch (header) {
                    case 2 -> frame.getUnsignedByte(start + 1);
                    case 4 -> frame.getUnsignedShort(start + 2);
                    default -> (int) frame.getLong(start + 2);
                };
    }

    private static int frameHeader(int length) {
        return length < SHORT_FRAME ? 2 : length < MEDIUM_FRAME ? 4 : 10;
    }

    /** Moves bytes towards the end, last byte first, because the ranges overlap. */
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
        if (kind != Kind.FRAME) {
            if (kind == Kind.CHUNK) {
                out.writeBytes(LAST_CHUNK);
            }
            return;
        }
        String reason = code.text();
        assert reason.length() <= CLOSE_REASON_MAX;
        out.writeByte(CLOSE_FRAME).writeByte(2 + reason.length()).writeShort(code.closeCode());
        ByteBufUtil.writeAscii(out, reason);
    }
}
