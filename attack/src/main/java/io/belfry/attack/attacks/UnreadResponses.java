package io.belfry.attack.attacks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Clients that request much and read nothing. The server must stop reading requests or close the connection; otherwise
 * the unread responses fill its memory. Pure.
 */
final class UnreadResponses {
    private static final int CONNECTIONS = 2;
    private static final int NARROW_BYTES = 4096;
    private static final int BATCH_BYTES = 600 << 10;
    private static final double BATCHES_PER_SECOND = 150;

    /** More bytes than all buffers of the kernel hold. */
    private static final long OFFERED_MAX = 96L << 20;

    /** More bytes than a server reads before its socket is full of responses. */
    private static final long TAKEN_MAX = 24L << 20;

    private static final int MESSAGE_BYTES = 32 << 10;
    private static final int SLOW_READERS = 40;
    private static final double SLOW_READER_MESSAGES_PER_SECOND = 40;
    private static final int HISTORY_MESSAGES = 100;
    private static final int HISTORY_READERS = 60;
    private static final double HISTORY_PUBLISHES_PER_SECOND = 400;
    private static final double HISTORY_READS_PER_SECOND = 60;

    private UnreadResponses() {}

    static void pipelining(AttackContext context) throws IOException {
        String requests = context.requests().get("/health/live").repeat(300);
        run(context, false, requests.getBytes(StandardCharsets.US_ASCII));
    }

    static void pings(AttackContext context) throws IOException {
        run(context, true, AttackFrames.frame(AttackFrames.FIN | AttackFrames.PING, new byte[125]));
    }

    /** Sends the request again and again, over WebSocket sessions or over HTTP connections. */
    static void run(AttackContext context, boolean webSocket, byte[] request) throws IOException {
        byte[] batch = AttackFrames.repeated(request, BATCH_BYTES / request.length);
        long[] offered = new long[CONNECTIONS];
        try (ConnectionGroup group = new ConnectionGroup()) {
            group.add(CONNECTIONS, () -> webSocket ? narrowSession(context) : narrow(context));
            AttackRate rate = context.rate(BATCHES_PER_SECOND);
            while (rate.next() && offer(group, batch, offered)) {
                // Continues while a connection may take more.
            }
            check(group, context);
        }
    }

    /** Offers the batch to the first connection that takes it; returns false when all were offered enough. */
    private static boolean offer(ConnectionGroup group, byte[] batch, long[] offered) {
        boolean mayContinue = false;
        for (int i = 0; i < group.size(); i++) {
            if (offered[i] < OFFERED_MAX) {
                mayContinue = true;
                if (group.connections.get(i).offer(batch)) {
                    offered[i] += batch.length;
                    return true;
                }
            }
        }
        return mayContinue;
    }

    private static void check(ConnectionGroup group, AttackContext context) throws IOException {
        long sum = 0;
        for (AttackConnection connection : group.connections) {
            // The kernel discards unread bytes of a closed connection, so they do not count as taken by the server.
            // One buffer is read to find out: reading more would let the server continue.
            long sent = connection.bytesTaken();
            long taken = connection.pollOnce().isEnded() ? 0 : sent;
            sum += taken;
            if (taken >= TAKEN_MAX) {
                context.fault("the server read " + (taken >> 20) + " MB of requests whose responses nobody reads");
            }
        }
        context.note((sum >> 10) + " KB of requests read on " + group.size() + " connections");
    }

    private static AttackConnection narrow(AttackContext context) throws IOException {
        return context.target().openNarrow(NARROW_BYTES);
    }

    private static AttackConnection narrowSession(AttackContext context) throws IOException {
        return context.upgraded(narrow(context));
    }

    private static AttackConnection narrowRequest(AttackContext context, String target) throws IOException {
        AttackConnection connection = narrow(context);
        connection.send(context.requests().get(target));
        return connection;
    }

    static void slowReaders(AttackContext context) throws IOException {
        String subject = "/attack/slow-readers";
        byte[] message = AttackFrames.publish(subject, "x".repeat(MESSAGE_BYTES));
        try (ConnectionGroup readers = new ConnectionGroup();
                AttackConnection publisher = context.session()) {
            for (int i = 0; i < SLOW_READERS / 2; i++) {
                readers.add(() -> narrowRequest(context, "/subscribe?subject=" + subject));
                readers.add(() -> {
                    AttackConnection session = narrowSession(context);
                    session.sendCommand("{\"op\":\"subscribe\",\"id\":1,\"subject\":\"" + subject + "\"}");
                    return session;
                });
            }
            AttackRate rate = context.rate(SLOW_READER_MESSAGES_PER_SECOND);
            while (rate.next()) {
                publisher.offer(message);
                publisher.poll().forget();
            }
            context.note(readers.size() + " readers of " + rate.count() + " messages of 32 KB, none read");
        }
    }

    /** Publishes messages, then requests all of them again and again. */
    static void history(AttackContext context) throws IOException {
        String subject = "/attack/history-flood";
        byte[] message = AttackFrames.publish(subject, "x".repeat(MESSAGE_BYTES));
        try (AttackConnection publisher = context.session()) {
            AttackRate rate = new AttackRate(HISTORY_PUBLISHES_PER_SECOND, Long.MAX_VALUE);
            while (rate.count() < HISTORY_MESSAGES && rate.next() && publisher.send(message)) {
                publisher.poll().forget();
            }
            publisher.sendCommand("{\"op\":\"ping\",\"id\":1}");
            publisher.await(context.timeout(), text -> text.contains("pong"));
        }
        String target = "/history?subject=" + subject + "&count=" + HISTORY_MESSAGES;
        try (ConnectionGroup readers = new ConnectionGroup()) {
            // Publishing may have taken all of the attack's time; the readers connect in any case.
            AttackRate rate = new AttackRate(HISTORY_READS_PER_SECOND, Long.MAX_VALUE);
            while (readers.size() + readers.refused < HISTORY_READERS && rate.next()) {
                readers.add(() -> narrowRequest(context, target));
            }
            while (context.hasTimeLeft()) {
                AttackContext.pause(Duration.ofMillis(50));
            }
            // One buffer is enough to see whether the response is an error.
            long answered = readers.connections.stream()
                    .filter(reader -> reader.pollOnce().text().startsWith("HTTP/1.1 200 "))
                    .count();
            context.note(readers.size() + " requests, " + (readers.size() - answered) + " refused or not answered");
        }
    }
}
