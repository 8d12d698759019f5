package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.SubscribeRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that retained messages, history, recovery and live messages agree, also for sessions that subscribe during
 * publishing. Messages continue from the position of the confirmation. The snapshot is the last retained message up to
 * it.
 */
final class AgreementTest {
    private static final int JOINS = 60;
    private static final int ASKED = 7;
    private static final long SEED = 11;

    private static TestServer server;

    /** Publishes without a pause, retains every third message, and records the positions of the retained ones. */
    private static final class Publishing implements AutoCloseable {
        private final String pattern = "/agreed/" + System.nanoTime() + "/*";
        private final String subject = pattern.replace("*", "upon");
        private final TreeSet<Long> retained = new TreeSet<>();
        private final TestClient client = TestClient.open(server, WireEncoding.BINARY);
        private final Random random = new Random(SEED);
        private final Thread thread;
        private volatile boolean over;

        private Publishing() {
            publish();
            thread = Thread.ofVirtual().start(this::run);
        }

        private void run() {
            while (!over) {
                publish();
            }
        }

        private synchronized void publish() {
            boolean retain = retained.isEmpty() || random.nextInt(3) == 0;
            client.send(1, subject, "data", retain, null);
            Position at = client.expect(Event.Published.class).at();
            if (retain) {
                retained.add(at.seq());
            }
        }

        /** Returns the position of the last retained message up to a seq. */
        synchronized long upTo(long seq) {
            return Objects.requireNonNull(retained.floor(seq));
        }

        @Override
        public void close() {
            over = true;
            try (client) {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @BeforeAll
    static void start() {
        server = TestServer.start("BenchmarkMode=true", "CacheSize=100000", "Limit.PublishRate=0");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static List<Event.Message> messages(TestClient client, int count) {
        List<Event.Message> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(client.expect(Event.Message.class));
        }
        return messages;
    }

    private static long seq(Event.Subscribed subscribed) {
        return Objects.requireNonNull(subscribed.at()).seq();
    }

    private static void requireInARow(List<Event.Message> messages, long first) {
        for (int i = 0; i < messages.size(); i++) {
            assertThat(messages.get(i).at().seq()).isEqualTo(first + i);
        }
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void aSnapshotPrecedesTheLiveMessagesWithoutAHole(WireEncoding encoding) {
        try (Publishing publishing = new Publishing()) {
            for (int i = 0; i < JOINS; i++) {
                try (TestClient client = TestClient.open(server, encoding)) {
                    long at = seq(client.subscribe(publishing.subject));
                    Event.Message snapshot = client.expect(Event.Message.class);
                    assertThat(snapshot.type()).isEqualTo(MessageType.SNAPSHOT);
                    requireInARow(messages(client, 5), at + 1);
                    assertThat(snapshot.at().seq()).isEqualTo(publishing.upTo(at));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void historyEndsAtTheConfirmedPosition(WireEncoding encoding) {
        try (Publishing publishing = new Publishing()) {
            for (int i = 0; i < JOINS; i++) {
                try (TestClient client = TestClient.open(server, encoding)) {
                    client.ask(new SubscribeRequest(List.of(TestClient.bytes(publishing.subject)), null, ASKED, 0));
                    long at = seq(client.expect(Event.Subscribed.class));
                    long oldest = Math.max(1, at - ASKED + 1);
                    Event.Message first = client.expect(Event.Message.class);
                    boolean snapshot = first.type() == MessageType.SNAPSHOT;
                    requireInARow(messages(client, ASKED + 5), snapshot ? oldest : oldest + 1);
                    assertThat(snapshot).isEqualTo(publishing.upTo(at) < oldest);
                    assertThat(first.at().seq()).isEqualTo(snapshot ? publishing.upTo(at) : oldest);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void aResumedSessionGetsTheHistoryAndThenLiveMessages(WireEncoding encoding) {
        try (Publishing publishing = new Publishing();
                Http http = Http.to(server.port())) {
            for (int i = 0; i < JOINS; i++) {
                try (TestClient client = TestClient.open(server, encoding)) {
                    JsonNode newest = http.get("/history?subject=" + publishing.subject + "&count=" + ASKED)
                            .json()
                            .path("messages");
                    JsonNode oldest = newest.get(newest.size() > ASKED ? 1 : 0);
                    Position from = JsonEvents.position(oldest);
                    client.resume(publishing.subject, Objects.requireNonNull(from));
                    requireInARow(messages(client, 2 * ASKED), from.seq() + 1);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void aPatternSnapshotPrecedesItsFirstLiveMessage(WireEncoding encoding) {
        try (Publishing publishing = new Publishing()) {
            for (int i = 0; i < JOINS; i++) {
                try (TestClient client = TestClient.open(server, encoding)) {
                    client.ask(publishing.pattern);
                    List<Event.Message> heard = new ArrayList<>();
                    while (heard.size() < 5) {
                        if (client.next() instanceof Event.Message message) {
                            heard.add(message);
                        }
                    }
                    assertThat(heard.getFirst().type()).isEqualTo(MessageType.SNAPSHOT);
                    long live = heard.get(1).at().seq();
                    requireInARow(heard.subList(1, heard.size()), live);
                    assertThat(heard.getFirst().at().seq()).isEqualTo(publishing.upTo(live - 1));
                }
            }
        }
    }
}
