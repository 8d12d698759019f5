package io.belfry.attack.attacks;

import java.io.IOException;
import java.time.Duration;

/**
 * Uses every kind of request on every lane before the first attack. Memory that a server allocates once and keeps (classes,
 * buffers, the first chunks of its pools) then does not count as growth by an attack. Pure.
 */
public final class ServerWarmUp {
    private static final int CONNECTIONS = 64;
    private static final int READERS = 8;
    private static final int FIRST_ATTEMPTS = 5;
    private static final int HISTORY = 200;
    private static final int MESSAGE_BYTES = 16 << 10;
    private static final Duration BETWEEN_PARTS = Duration.ofMillis(2);

    private ServerWarmUp() {}

    /** Sends the requests of a warm-up. */
    public static void run(AttackContext context) throws IOException {
        HttpRequests requests = context.requests();
        String data = "x".repeat(Math.min(MESSAGE_BYTES, context.settings().maxMessageBytes()));
        String publish = requests.publish("/attack/warm-up", data);
        fillHistory(context, publish);
        try (ConnectionGroup group = new ConnectionGroup()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                sendInParts(group.require(context.target()::open), i % 2 == 0 ? requests.upgrade() : publish);
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                AttackConnection connection = group.connections.get(i);
                connection.awaitHead(context.timeout());
                if (i % 2 == 0) {
                    useSession(context, connection);
                } else {
                    sendInParts(connection, requests.get("/subscribe?subject=/attack/warm-up"));
                }
            }
            String history = "/history?subject=/attack/warm-up&count=" + HISTORY;
            for (int i = 0; i < READERS; i++) {
                AttackConnection reader = group.require(context.target()::open);
                reader.send(requests.get(history, "Connection: close"));
                reader.awaitEnd(context.timeout());
            }
        }
    }

    /** Publishes messages for large history responses, whose buffers the server keeps. */
    private static void fillHistory(AttackContext context, String publish) throws IOException {
        try (AttackConnection connection = first(context)) {
            for (int i = 0; i < HISTORY; i++) {
                connection.send(publish);
                connection.await(context.timeout(), text -> text.endsWith("}"));
                connection.forget();
            }
        }
    }

    /** Opens the server's first connection. Its handshake may take longer than the limit, while the server loads its classes. */
    private static AttackConnection first(AttackContext context) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return context.target().open();
            } catch (IOException e) {
                if (attempt == FIRST_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static void sendInParts(AttackConnection connection, String text) {
        connection.send(text.substring(0, text.length() / 2));
        AttackContext.pause(BETWEEN_PARTS);
        connection.send(text.substring(text.length() / 2));
    }

    private static void useSession(AttackContext context, AttackConnection session) {
        session.sendCommand("{\"op\":\"subscribe\",\"id\":1,\"subjects\":[\"/attack/warm-up\",\"/attack/warm-up/*\"]}");
        session.send(AttackFrames.frame(AttackFrames.TEXT, new byte[] {'{'}));
        AttackContext.pause(BETWEEN_PARTS);
        session.send(AttackFrames.frame(AttackFrames.CONTINUATION, new byte[MESSAGE_BYTES]));
        session.send(AttackFrames.frame(AttackFrames.FIN | AttackFrames.CONTINUATION, new byte[] {'}'}));
        session.await(context.timeout(), text -> text.contains("\"op\":\"error\""));
    }
}
