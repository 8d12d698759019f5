package io.belfry.attack.attacks;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.OptionalInt;

/** Encodes WebSocket frames of a client, valid or not, and decodes those of a server (RFC 6455, section 5). Pure. */
public final class AttackFrames {
    public static final int CONTINUATION = 0x0;
    public static final int TEXT = 0x1;
    public static final int BINARY = 0x2;
    public static final int CLOSE = 0x8;
    public static final int PING = 0x9;
    public static final int FIN = 0x80;
    public static final int RSV1 = 0x40;

    private static final int MASKED = 0x80;
    private static final int NO_STATUS = 1005;

    /** A constant mask is enough: a random one only protects proxies. */
    private static final byte[] MASK = {0x11, 0x22, 0x33, 0x44};

    private AttackFrames() {}

    /** Returns a masked text frame. */
    public static byte[] text(String text) {
        return frame(FIN | TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a text frame with a publish command; neither argument may need escapes in JSON. */
    public static byte[] publish(String subject, String data) {
        return text("{\"op\":\"publish\",\"subject\":\"" + subject + "\",\"data\":\"" + data + "\"}");
    }

    /** Returns a masked frame; {@code first} is its first byte: FIN, reserved bits and opcode. */
    public static byte[] frame(int first, byte[] payload) {
        byte[] masked = payload.clone();
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= MASK[i & 3];
        }
        return joined(head(first, payload.length, MASKED), MASK, masked);
    }

    /** Returns a frame without a mask, which RFC 6455 forbids for clients. */
    public static byte[] unmasked(int first, byte[] payload) {
        return joined(head(first, payload.length, 0), payload);
    }

    /** Returns the head of a frame that announces this length in 64 bits, with its mask and without a payload. */
    public static byte[] announcing(int first, long length) {
        return joined(longHead(first, length, MASKED), MASK);
    }

    private static byte[] head(int first, int length, int masked) {
        if (length < 126) {
            return new byte[] {(byte) first, (byte) (masked | length)};
        }
        if (length < 1 << 16) {
            return new byte[] {(byte) first, (byte) (masked | 126), (byte) (length >> 8), (byte) length};
        }
        return longHead(first, length, masked);
    }

    private static byte[] longHead(int first, long length, int masked) {
        return ByteBuffer.allocate(10)
                .put((byte) first)
                .put((byte) (masked | 127))
                .putLong(length)
                .array();
    }

    /** Returns the code of the close frame that a server sent after its 101 response: 1005 without one, empty without frame. */
    public static OptionalInt closeCode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        while (in.remaining() >= 2) {
            int opcode = in.get() & 0x0F;
            long length = length(in);
            if (length < 0 || length > in.remaining()) {
                break;
            }
            if (opcode == CLOSE) {
                return OptionalInt.of(length < 2 ? NO_STATUS : in.getShort() & 0xFFFF);
            }
            in.position(in.position() + (int) length);
        }
        return OptionalInt.empty();
    }

    /** Returns the payload length, -1 if the length field is incomplete. */
    private static long length(ByteBuffer in) {
        int length = in.get() & 0x7F;
        return switch (length) {
            case 126 -> in.remaining() < 2 ? -1 : in.getShort() & 0xFFFF;
            case 127 -> in.remaining() < 8 ? -1 : in.getLong();
            default -> length;
        };
    }

    /** Returns the same frame this many times. */
    public static byte[] repeated(byte[] frame, int times) {
        return joined(Collections.nCopies(times, frame).toArray(byte[][]::new));
    }

    static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
