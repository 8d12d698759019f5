package io.belfry.clients;

import io.belfry.integration.Event;
import io.belfry.integration.Ledger;
import io.belfry.integration.Numbered;
import io.belfry.integration.TestClient;
import io.belfry.integration.TestServer;
import io.belfry.integration.WireEncoding;
import io.belfry.protocol.Position;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Publishes numbered messages directly to a server and records them in the ledger. Owner: the check's thread. */
final class SuitePublisher implements AutoCloseable {
    /** Publishes that wait for their answers at the same time. */
    private static final int WINDOW = 100;

    /** The ping interval that each connection requests. This client answers pings only while it waits for an answer. */
    private static final int PING_MILLIS = 60_000;

    /** A connection that was idle for this time is replaced. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final TestServer server;
    private final int publisher;
    private final Ledger ledger;
    private final Random random;
    private final Map<String, Long> numbers = new HashMap<>();
    private final Map<Long, Sent> unanswered = new HashMap<>();
    private TestClient client;
    private long usedNanos;
    private long lastId;

    private record Sent(String subject, Numbered message) {}

    SuitePublisher(TestServer server, int publisher, Ledger ledger, Random random) {
        this.server = server;
        this.client = open(server);
        this.usedNanos = System.nanoTime();
        this.publisher = publisher;
        this.ledger = ledger;
        this.random = random;
    }

    private static TestClient open(TestServer server) {
        TestClient client = TestClient.open(server, WireEncoding.BINARY);
        client.requestPing(PING_MILLIS);
        return client;
    }

    /** Publishes one message and returns its position. */
    Position publish(String subject) {
        send(subject, 0);
        return takeAnswer();
    }

    /** Publishes one message with a text of the check, and returns its position. */
    Position publish(String subject, String text, boolean retain) {
        connected().send(++lastId, subject, text, retain, null);
        return nextAnswer().at();
    }

    /** Publishes a number of messages to random ones of these subjects, extended by up to this many characters. */
    void publish(List<String> subjects, int count, int paddingMax) {
        for (int i = 0; i < count; i++) {
            send(subjects.get(random.nextInt(subjects.size())), paddingMax == 0 ? 0 : random.nextInt(paddingMax));
            if (unanswered.size() >= WINDOW) {
                takeAnswer();
            }
        }
        while (!unanswered.isEmpty()) {
            takeAnswer();
        }
    }

    private void send(String subject, int padding) {
        Numbered message = new Numbered(publisher, numbers.merge(subject, 1L, Long::sum));
        unanswered.put(++lastId, new Sent(subject, message));
        connected().send(lastId, subject, message.data(padding), false, null);
    }

    private TestClient connected() {
        long now = System.nanoTime();
        if (now - usedNanos > IDLE_NANOS && unanswered.size() <= 1) {
            client.close();
            client = open(server);
        }
        usedNanos = now;
        return client;
    }

    private Position takeAnswer() {
        Event.Published published = nextAnswer();
        Sent sent = unanswered.remove(published.id());
        if (sent == null) {
            throw new AssertionError("an answer to no publish: " + published);
        }
        ledger.acknowledged(sent.subject(), published.at(), sent.message());
        return published.at();
    }

    private Event.Published nextAnswer() {
        Event event = client.next();
        if (event instanceof Event.Published published) {
            return published;
        }
        throw new AssertionError("not the answer to a publish: " + event);
    }

    @Override
    public void close() {
        client.close();
    }
}
