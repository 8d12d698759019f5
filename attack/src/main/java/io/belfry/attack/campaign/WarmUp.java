package io.belfry.attack.campaign;

import io.belfry.attack.server.Facts;
import io.belfry.attack.wire.Door;
import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Requests;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Ordinary use of every kind, on every lane, before the first attack: what a server takes once and keeps (classes,
 * buffers, the first chunks of its pools) is no attack's fault. Pure, but for the connections.
 */
final class WarmUp {
    private static final int CONNECTIONS = 64;
    private static final int READERS = 8;
    private static final int HISTORY = 200;
    private static final int MESSAGE_BYTES = 16 << 10;
    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
    private static final Duration PIECE_EVERY = Duration.ofMillis(2);

    private WarmUp() {}

    static void of(Door door, Facts facts) throws IOException {
        Requests requests = new Requests(door.host(), facts.token());
        List<Wire> wires = new ArrayList<>();
        fill(door, requests, facts);
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                Wire wire = door.open();
                wires.add(wire);
                inPieces(wire, i % 2 == 0 ? requests.upgrade() : post(requests, facts));
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                Wire wire = wires.get(i);
                wire.await(ANSWER_MAX, text -> text.contains("\r\n\r\n"));
                inPieces(wire, i % 2 == 0 ? "" : requests.get("/subscribe?subject=/attack/warm-up"));
                if (i % 2 == 0) {
                    session(wire);
                }
            }
            for (int i = 0; i < READERS; i++) {
                Wire wire = door.open();
                wires.add(wire);
                wire.send(requests.get("/history?subject=/attack/warm-up&count=" + HISTORY, "Connection: close"));
                wire.awaitEnd(ANSWER_MAX);
            }
        } finally {
            wires.forEach(Wire::close);
        }
    }

    /** Something for history to answer with: large answers take memory that buffers then keep. */
    private static void fill(Door door, Requests requests, Facts facts) throws IOException {
        try (Wire wire = door.open()) {
            for (int i = 0; i < HISTORY; i++) {
                wire.send(post(requests, facts));
                wire.await(ANSWER_MAX, text -> text.endsWith("}"));
                wire.forget();
            }
        }
    }

    private static String post(Requests requests, Facts facts) {
        return requests.publish("/attack/warm-up", "x".repeat(Math.min(MESSAGE_BYTES, facts.maxMessageBytes())));
    }

    private static void inPieces(Wire wire, String text) {
        wire.send(text.substring(0, text.length() / 2));
        LockSupport.parkNanos(PIECE_EVERY.toNanos());
        wire.send(text.substring(text.length() / 2));
    }

    private static void session(Wire wire) {
        wire.send(Frames.text(
                "{\"op\":\"subscribe\",\"id\":1,\"subjects\":[\"/attack/warm-up\",\"/attack/warm-up/*\"]}"));
        wire.send(Frames.frame(Frames.TEXT, new byte[] {'{'}));
        LockSupport.parkNanos(PIECE_EVERY.toNanos());
        wire.send(Frames.frame(Frames.CONTINUATION, new byte[MESSAGE_BYTES]));
        wire.send(Frames.frame(Frames.FIN | Frames.CONTINUATION, new byte[] {'}'}));
        wire.await(ANSWER_MAX, text -> text.contains("\"op\":\"error\""));
    }
}
