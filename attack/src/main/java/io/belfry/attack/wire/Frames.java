package io.belfry.attack.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** WebSocket frames as a client sends them, and as it takes a server's apart (RFC 6455, section 5). Pure. */
public final class Frames {
    public static final int CONTINUATION = 0x0;
    public static final int TEXT = 0x1;
    public static final int BINARY = 0x2;
    public static final int CLOSE = 0x8;
    public static final int PING = 0x9;
    public static final int PONG = 0xA;
    public static final int FIN = 0x80;
    public static final int RSV1 = 0x40;

    private static final int MASKED = 0x80;
    private static final int NO_STATUS = 1005;

    /** Any mask will do: only proxies need it to be a surprise. */
    private static final byte[] MASK = {0x11, 0x22, 0x33, 0x44};

    private Frames() {}

    /** What came: an opcode and its payload. */
    public record Frame(int opcode, ByteBuffer payload) {
        public String text() {
            return StandardCharsets.UTF_8.decode(payload.duplicate()).toString();
        }

        /** Of a close frame. */
        public int closeCode() {
            return payload.remaining() < 2 ? NO_STATUS : payload.getShort(0) & 0xFFFF;
        }
    }

    public static byte[] text(String text) {
        return frame(FIN | TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** {@code first} is the first byte: FIN, reserved bits and opcode. */
    public static byte[] frame(int first, byte[] payload) {
        byte[] head = head(first, payload.length, MASKED);
        byte[] frame = new byte[head.length + 4 + payload.length];
        System.arraycopy(head, 0, frame, 0, head.length);
        System.arraycopy(MASK, 0, frame, head.length, 4);
        for (int i = 0; i < payload.length; i++) {
            frame[head.length + 4 + i] = (byte) (payload[i] ^ MASK[i & 3]);
        }
        return frame;
    }

    /** Against the rule for clients. */
    public static byte[] unmasked(int first, byte[] payload) {
        byte[] head = head(first, payload.length, 0);
        return ByteBuffer.allocate(head.length + payload.length)
                .put(head)
                .put(payload)
                .array();
    }

    /** The head of a frame that announces so much in 64 bits, and its mask; nothing follows. */
    public static byte[] announcing(int first, long length) {
        return ByteBuffer.allocate(14)
                .put((byte) first)
                .put((byte) (MASKED | 127))
                .putLong(length)
                .put(MASK)
                .array();
    }

    private static byte[] head(int first, int length, int masked) {
        if (length < 126) {
            return new byte[] {(byte) first, (byte) (masked | length)};
        }
        if (length < 1 << 16) {
            return new byte[] {(byte) first, (byte) (masked | 126), (byte) (length >> 8), (byte) length};
        }
        return ByteBuffer.allocate(10)
                .put((byte) first)
                .put((byte) (masked | 127))
                .putLong(length)
                .array();
    }

    /** The whole frames in what a server sent after its 101. */
    public static List<Frame> of(byte[] bytes) {
        List<Frame> frames = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        while (in.remaining() >= 2) {
            int first = in.get() & 0xFF;
            long length = length(in);
            if (length < 0 || length > in.remaining()) {
                break;
            }
            frames.add(new Frame(first & 0x0F, in.slice(in.position(), (int) length)));
            in.position(in.position() + (int) length);
        }
        return frames;
    }

    /** -1 where it is not whole. */
    private static long length(ByteBuffer in) {
        int length = in.get() & 0x7F;
        return switch (length) {
            case 126 -> in.remaining() < 2 ? -1 : in.getShort() & 0xFFFF;
            case 127 -> in.remaining() < 8 ? -1 : in.getLong();
            default -> length;
        };
    }

    /** So many times the same. */
    public static byte[] repeated(byte[] frame, int times) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(frame.length * times);
        for (int i = 0; i < times; i++) {
            all.writeBytes(frame);
        }
        return all.toByteArray();
    }
}
