package io.belfry.integration;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A WebSocket connection at the level of frames, able to violate every rule of RFC 6455. It shares no code with the
 * server's codec. Owner: the test's thread.
 */
final class SocketFrames implements AutoCloseable {
    static final int CONTINUATION = 0x0;
    static final int TEXT = 0x1;
    static final int BINARY = 0x2;
    static final int CLOSE = 0x8;
    static final int PING = 0x9;
    static final int PONG = 0xA;
    static final int FIN = 0x80;
    static final int RSV1 = 0x40;

    private static final int MASKED = 0x80;
    private static final int ROOM = 14;

    /** A received frame: an opcode and its payload. */
    record Frame(int opcode, ByteBuffer payload) {
        String text() {
            return StandardCharsets.UTF_8.decode(payload.duplicate()).toString();
        }

        int closeCode() {
            return payload.remaining() < 2 ? 1005 : payload.getShort(0) & 0xFFFF;
        }

        String closeReason() {
            return StandardCharsets.UTF_8
                    .decode(payload.duplicate().position(Math.min(2, payload.limit())))
                    .toString();
        }
    }

    /** Thrown when the server refused the handshake. */
    static final class Refused extends AssertionError {
        private static final long serialVersionUID = 1;

        private final int status;

        Refused(Http.Answer answer) {
            super("no WebSocket: " + answer);
            status = answer.status();
        }

        int status() {
            return status;
        }
    }

    private final RawConnection connection;
    private final Http.Answer handshake;

    private SocketFrames(RawConnection connection, Http.Answer handshake) {
        this.connection = connection;
        this.handshake = handshake;
    }

    static String handshake(String path, List<String> headers) {
        List<String> all = new ArrayList<>(List.of(
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="));
        all.addAll(headers);
        return Http.text("GET", path, "", all.toArray(String[]::new));
    }

    /** Requests a WebSocket upgrade and returns the server's answer. */
    static Http.Answer ask(int port, String... headers) {
        try (Http http = Http.to(port)) {
            http.raw().send(handshake("/", List.of(headers)));
            return http.answer();
        }
    }

    static SocketFrames open(int port, String... headers) {
        return open(RawConnection.to(port), "/", headers);
    }

    static SocketFrames open(RawConnection connection, String path, String... headers) {
        Http.Answer answer = new Http(connection.send(handshake(path, List.of(headers)))).answer();
        if (answer.status() != 101) {
            throw new Refused(answer);
        }
        return new SocketFrames(connection, answer);
    }

    Http.Answer handshake() {
        return handshake;
    }

    RawConnection raw() {
        return connection;
    }

    /** Returns a complete frame of a client, with {@code first} as its first byte. */
    static byte[] frame(int first, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(ROOM).put((byte) first);
        if (payload.length < 126) {
            frame.put((byte) (MASKED | payload.length));
        } else if (payload.length < 1 << 16) {
            frame.put((byte) (MASKED | 126)).putShort((short) payload.length);
        } else {
            frame.put((byte) (MASKED | 127)).putLong(payload.length);
        }
        byte[] mask = new byte[4];
        ThreadLocalRandom.current().nextBytes(mask);
        frame.put(mask);
        int start = frame.position();
        byte[] bytes = Arrays.copyOf(frame.array(), start + payload.length);
        for (int i = 0; i < payload.length; i++) {
            bytes[start + i] = (byte) (payload[i] ^ mask[i & 3]);
        }
        return bytes;
    }

    void send(int first, byte[] payload) {
        connection.send(frame(first, payload));
    }

    void text(String text) {
        send(FIN | TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    void binary(byte[] payload) {
        send(FIN | BINARY, payload);
    }

    /**
     * Returns the next frame and answers pings. A connection that ends without a close frame, or has only pings for as long as
     * {@link Await#LONG}, fails the test.
     */
    Frame next() {
        long deadline = System.nanoTime() + Await.LONG.toNanos();
        Frame frame = nextOrPing();
        while (frame.opcode() == PING) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("only pings for " + Await.LONG.toMillis() + " ms");
            }
            frame = nextOrPing();
        }
        return frame;
    }

    /** Returns the next frame, which may be a ping; an answer to a ping has been sent. */
    Frame nextOrPing() {
        int first = connection.read();
        if (first < 0) {
            throw new RawConnection.Ended("without a close frame");
        }
        Frame frame = new Frame(first & 0x0F, ByteBuffer.wrap(connection.read(length())));
        if (frame.opcode() == PING) {
            send(FIN | PONG, frame.payload().array());
        }
        return frame;
    }

    private int length() {
        int length = connection.read(1)[0] & 0xFF;
        return switch (length) {
            case 126 -> ByteBuffer.wrap(connection.read(2)).getShort() & 0xFFFF;
            case 127 -> Math.toIntExact(ByteBuffer.wrap(connection.read(8)).getLong());
            default -> length;
        };
    }

    /** Returns the close frame and skips the frames before it. */
    Frame close(int atMost) {
        for (int i = 0; i < atMost; i++) {
            Frame frame = next();
            if (frame.opcode() == CLOSE) {
                return frame;
            }
        }
        throw new AssertionError("no close within " + atMost + " frames");
    }

    @Override
    public void close() {
        connection.close();
    }
}
