package io.belfry.attack.attacks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/** Incomplete and invalid TLS hellos, and many complete handshakes a second. Pure. */
final class TlsHellos {
    private static final int PARTIAL = 100;
    private static final double HANDSHAKES_PER_SECOND = 50;
    private static final Duration FLOOD = Duration.ofSeconds(1);
    private static final int HELLO_BYTES_MAX = 1 << 20;
    private static final int CHUNK_BYTES = 8 << 10;
    private static final byte HANDSHAKE = 22;
    private static final byte CLIENT_HELLO = 1;

    private TlsHellos() {}

    static void run(AttackContext context) throws IOException {
        byte[] hello = TlsLayer.hello();
        long begun = System.nanoTime();
        try (ConnectionGroup partial = new ConnectionGroup()) {
            partial.add(PARTIAL, context.target()::openBare);
            for (int i = 0; i < partial.size(); i++) {
                partial.connections.get(i).send(Arrays.copyOf(hello, hello.length * i / PARTIAL));
            }
            byte[] garbage = new byte[1024];
            for (int i = 0; i < garbage.length; i++) {
                garbage[i] = (byte) (i * 31 + 7);
            }
            mustEnd(context, "garbage", garbage);
            byte[] http = context.requests().get("/health/live").getBytes(StandardCharsets.US_ASCII);
            mustEnd(context, "plain HTTP", http);
            byte[] longRecord = {HANDSHAKE, 3, 3, (byte) 0xFF, (byte) 0xFF, CLIENT_HELLO};
            mustEnd(context, "a record of 65,535 bytes", longRecord);
            mustEnd(context, "SSL 2", new byte[] {(byte) 0x80, 0x2E, 1, 0, 2, 0, 21, 0, 0, 0, 16});
            oversized(context);
            handshakes(context);
            ConnectionFloods.awaitClosed(context, partial, begun, "partial hellos", "");
        }
    }

    private static void mustEnd(AttackContext context, String what, byte[] bytes) throws IOException {
        try (AttackConnection connection = context.target().openBare()) {
            connection.send(bytes);
            if (!connection.awaitEnd(ConnectionFloods.timeLimit(context))) {
                context.fault(what + " instead of a TLS hello did not end the connection");
            }
        }
    }

    /** Sends a hello that announces 16 MB, record by record. */
    private static void oversized(AttackContext context) throws IOException {
        try (AttackConnection connection = context.target().openBare()) {
            connection.send(record(new byte[] {CLIENT_HELLO, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 3, 3}));
            byte[] more = record(new byte[CHUNK_BYTES]);
            int sent = 0;
            while (sent < HELLO_BYTES_MAX
                    && connection.send(more)
                    && !connection.poll().isEnded()) {
                sent += CHUNK_BYTES;
            }
            if (!connection.awaitEnd(Duration.ofMillis(500))) {
                context.fault("a TLS hello of " + (sent >> 10) + " KB was accepted");
            }
        }
    }

    private static byte[] record(byte[] payload) {
        byte[] head = {HANDSHAKE, 3, 3, (byte) (payload.length >> 8), (byte) payload.length};
        return AttackFrames.joined(head, payload);
    }

    /** Completes handshakes for one second, even if the earlier steps took all of the attack's time. */
    private static void handshakes(AttackContext context) throws IOException {
        AttackRate rate = new AttackRate(HANDSHAKES_PER_SECOND, System.nanoTime() + FLOOD.toNanos());
        while (rate.next()) {
            context.target().open().reset();
        }
        context.note(rate.count() + " complete handshakes");
    }
}
