package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Writes server frames, which are unmasked and unfragmented (RFC 6455, section 5.2). Pure. */
public final class WebSocketFrames {
    public static final int CONTINUATION = 0x0;
    public static final int TEXT = 0x1;
    public static final int BINARY = 0x2;
    public static final int CLOSE = 0x8;
    public static final int PING = 0x9;
    public static final int PONG = 0xa;

    /** Maximum length of the header of a server frame. */
    public static final int HEADER_BYTES_MAX = 10;

    public static final int CONTROL_BYTES_MAX = 125;

    /**
     * Close code that {@link WebSocketFrameDecoder#onClose} gets for a close frame without a code; never sent (section 7.4.1).
     */
    public static final int CLOSE_WITHOUT_CODE = 1005;

    static final int FIN = 0x80;

    /** Bit of the first frame of a message that marks the message as compressed (RFC 7692, section 6). */
    static final int RSV1 = 0x40;

    static final int OPCODE_BITS = 0x0f;

    private static final int LENGTH_16 = 126;
    private static final int LENGTH_64 = 127;

    private WebSocketFrames() {}

    /** Returns the length of the header of a frame with a payload of this length. */
    public static int headerBytes(int length) {
        return length < LENGTH_16 ? 2 : length <= 0xffff ? 4 : 10;
    }

    /** Writes the header of an unfragmented frame; a payload of this length must follow. */
    public static void writeHeader(ByteBuf out, int opcode, int length) {
        if (length < LENGTH_16) {
            out.writeShort((FIN | opcode) << 8 | length);
        } else if (length <= 0xffff) {
            out.writeInt((FIN | opcode) << 24 | LENGTH_16 << 16 | length);
        } else {
            out.writeShort((FIN | opcode) << 8 | LENGTH_64);
            out.writeLong(length);
        }
    }

    /** Writes a close frame; truncates a long reason at a character boundary. */
    public static void writeClose(ByteBuf out, int code, String reason) {
        if (code == CLOSE_WITHOUT_CODE) {
            writeHeader(out, CLOSE, 0);
            return;
        }
        byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
        int length = characterBorder(bytes, CONTROL_BYTES_MAX - 2);
        writeHeader(out, CLOSE, length + 2);
        out.writeShort(code);
        out.writeBytes(bytes, 0, length);
    }

    public static void writePing(ByteBuf out) {
        writeHeader(out, PING, 0);
    }

    public static void writePing(ByteBuf out, long payload) {
        writeHeader(out, PING, Long.BYTES);
        out.writeLong(payload);
    }

    /** Writes a pong that answers a ping with this payload. */
    public static void writePong(ByteBuf out, ByteBuf payload, int offset, int length) {
        writeHeader(out, PONG, length);
        out.writeBytes(payload, offset, length);
    }

    /** Returns the length of the longest prefix of at most {@code max} bytes that ends at a character boundary. */
    private static int characterBorder(byte[] utf8, int max) {
        if (utf8.length <= max) {
            return utf8.length;
        }
        int length = max;
        while (length > 0 && (utf8[length] & 0xc0) == 0x80) {
            length--;
        }
        return length;
    }
}
