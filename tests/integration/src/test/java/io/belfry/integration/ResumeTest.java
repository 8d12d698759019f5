package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that a client resumes at its position over every transport, and that missing messages are announced as a gap.
 */
final class ResumeTest {
    private static final int KEPT = 20;

    private static TestServer server;

    private TestClient publisher;
    private String subject;
    private int published;

    @BeforeAll
    static void start() {
        server = TestServer.start("CacheSize=" + KEPT);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open(TestInfo test) {
        subject = "/resume/" + test.getTestMethod().orElseThrow().getName() + "/" + System.nanoTime();
        publisher = TestClient.open(server, WireEncoding.BINARY);
        published = 0;
    }

    @AfterEach
    void close() {
        publisher.close();
    }

    /** Publishes this number of numbered messages; returns the position of the last. */
    private Position publish(int count) {
        Position last = new Position(0, 0);
        for (int i = 0; i < count; i++) {
            last = publisher.publish(subject, Integer.toString(++published));
        }
        return last;
    }

    private static List<String> numbers(int from, int to) {
        List<String> numbers = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            numbers.add(Integer.toString(i));
        }
        return numbers;
    }

    @ParameterizedTest
    @EnumSource
    void aReconnectOverWebSocketResumesAtItsPosition(WireEncoding encoding) {
        Position seen;
        try (TestClient client = TestClient.open(server, encoding)) {
            client.subscribe(subject);
            publish(3);
            client.data(2);
            seen = client.expect(Event.Message.class).at();
            client.frames().raw().reset();
        }
        publish(5);
        try (TestClient client = TestClient.open(server, encoding)) {
            Event.Subscribed subscribed = client.resume(subject, seen);
            assertThat(subscribed.recovery()).isEqualTo(Recovery.COMPLETE);
            assertThat(subscribed.at()).isEqualTo(new Position(seen.epoch(), seen.seq() + 5));
            Event.Message first = client.expect(Event.Message.class);
            assertThat(first.type()).isEqualTo(MessageType.RECOVERED);
            assertThat(first.at().seq()).isEqualTo(seen.seq() + 1);
            assertThat(client.data(4)).isEqualTo(numbers(5, 8));
            publish(1);
            Event.Message live = client.expect(Event.Message.class);
            assertThat(live.type()).isEqualTo(MessageType.LIVE);
            assertThat(live.data()).isEqualTo("9");
        }
    }

    @ParameterizedTest
    @EnumSource
    void evictedMessagesAreAGap(WireEncoding encoding) {
        Position first = publish(1);
        publish(KEPT + 10);
        try (TestClient client = TestClient.open(server, encoding)) {
            assertThat(client.resume(subject, first).recovery()).isEqualTo(Recovery.GAP);
            Event.Gap gap = client.expect(Event.Gap.class);
            assertThat(gap.reason()).isEqualTo("history-gone");
            assertThat(gap.from()).isEqualTo(first);
            Event.Message next = client.expect(Event.Message.class);
            assertThat(next.at().seq()).isEqualTo(gap.to().seq() + 1);
            assertThat(client.data(KEPT - 1)).endsWith(Integer.toString(published));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPositionOfAnotherEpochIsAGap(WireEncoding encoding) {
        publish(3);
        try (TestClient client = TestClient.open(server, encoding)) {
            assertThat(client.resume(subject, new Position(7, 2)).recovery()).isEqualTo(Recovery.GAP);
            assertThat(client.expect(Event.Gap.class).reason()).isEqualTo("epoch-changed");
        }
    }

    @Test
    void anEventStreamResumesAfterItsLastEventId() {
        String id = "";
        try (Http http = Http.to(server.port())) {
            assertThat(http.stream("/subscribe?subject=" + subject).headers())
                    .containsEntry("content-type", "text/event-stream");
            Http.LineSource lines = http.lines();
            awaitLine(lines, "event: subscribed");
            publish(3);
            for (int i = 1; i <= 3; i++) {
                id = awaitLine(lines, "id: ").substring("id: ".length());
                if (json(awaitLine(lines, "data: ")).path("op").asText().equals("subscribed")) {
                    i--;
                }
            }
            http.raw().reset();
        }
        publish(2);
        try (Http http = Http.to(server.port())) {
            http.stream("/subscribe?subject=" + subject, "Last-Event-ID: " + id);
            Http.LineSource lines = http.lines();
            assertThat(json(awaitLine(lines, "data: ")).path("recovery").asText())
                    .isEqualTo("complete");
            assertThat(json(awaitLine(lines, "data: ")).path("data").asText()).isEqualTo("4");
            assertThat(json(awaitLine(lines, "data: ")).path("data").asText()).isEqualTo("5");
        }
    }

    @Test
    void aResumeAfterAGapDoesNotRepeatIt() {
        Position first = publish(1);
        publish(KEPT + 10);
        String id;
        try (Http http = Http.to(server.port())) {
            http.stream("/subscribe?subject=" + subject, "Last-Event-ID: " + first);
            Http.LineSource lines = http.lines();
            awaitLine(lines, "event: gap");
            id = awaitLine(lines, "id: ").substring("id: ".length());
        }
        try (Http http = Http.to(server.port())) {
            http.stream("/subscribe?subject=" + subject, "Last-Event-ID: " + id);
            Http.LineSource lines = http.lines();
            assertThat(json(awaitLine(lines, "data: ")).path("recovery").asText())
                    .isEqualTo("complete");
            assertThat(json(awaitLine(lines, "data: ")).path("op").asText()).isEqualTo("message");
        }
    }

    private static String awaitLine(Http.LineSource lines, String prefix) {
        for (int i = 0; i < 100; i++) {
            String line = lines.next();
            if (line.startsWith(prefix)) {
                return line;
            }
        }
        throw new AssertionError("no line that begins with " + prefix);
    }

    private static JsonNode json(String dataLine) {
        return Http.json(dataLine.substring("data: ".length()));
    }

    @Test
    void oneEventStreamResumesSeveralSubjectsByOneId() {
        String other = subject + "/other";
        String target = "/subscribe?subject=" + subject + "&subject=/none/*&subject=" + other;
        String id = "";
        try (Http http = Http.to(server.port())) {
            http.stream(target);
            Http.LineSource lines = http.lines();
            for (int i = 0; i < 3; i++) {
                awaitLine(lines, "event: subscribed");
            }
            awaitLine(lines, "data: ");
            publish(2);
            publisher.publish(other, "o1");
            for (int messages = 0; messages < 3; ) {
                String next = awaitLine(lines, "id: ").substring("id: ".length());
                id = next;
                messages += json(awaitLine(lines, "data: ")).path("op").asText().equals("message") ? 1 : 0;
            }
        }
        assertThat(id).matches("\\d+:\\d+,\\d+:\\d+,[A-Za-z0-9_-]+");
        publish(1);
        publisher.publish(other, "o2");
        try (Http http = Http.to(server.port())) {
            http.stream(target, "Last-Event-ID: " + id);
            Http.LineSource lines = http.lines();
            List<String> data = new ArrayList<>();
            while (data.size() < 2) {
                JsonNode event = json(awaitLine(lines, "data: "));
                if (event.path("op").asText().equals("message")) {
                    data.add(event.path("data").asText());
                }
            }
            assertThat(data).containsExactlyInAnyOrder("3", "o2");
        }
    }

    /** Each part of the stream is read over another transport, from the position at which the previous part ended. */
    @Test
    void aClientThatChangesItsTransportMissesNothing() {
        publish(1);
        List<String> seen = new ArrayList<>();
        Position at;
        try (Http http = Http.to(server.port())) {
            JsonNode history =
                    http.get("/history?subject=" + subject + "&count=10").json();
            at = take(history.path("messages"), seen);
        }
        publish(2);
        at = overWebSocket(WireEncoding.BINARY, at, 2, seen);
        publish(2);
        at = overStream(at, 2, "application/x-ndjson", "", seen);
        publish(2);
        at = overPoll(at, 2, seen);
        publish(2);
        at = overStream(at, 2, "text/event-stream", "data: ", seen);
        publish(2);
        at = overWebSocket(WireEncoding.JSON, at, 2, seen);
        publish(2);
        try (Http http = Http.to(server.port())) {
            JsonNode history =
                    http.get("/history?subject=" + subject + "&from=" + at).json();
            take(history.path("messages"), seen);
        }
        assertThat(seen).isEqualTo(numbers(1, published));
    }

    private Position overWebSocket(WireEncoding encoding, Position from, int count, List<String> seen) {
        try (TestClient client = TestClient.open(server, encoding)) {
            assertThat(client.resume(subject, from).recovery()).isEqualTo(Recovery.COMPLETE);
            Position at = from;
            for (int i = 0; i < count; i++) {
                Event.Message message = client.expect(Event.Message.class);
                seen.add(message.data());
                at = message.at();
            }
            return at;
        }
    }

    private Position overStream(Position from, int count, String accept, String prefix, List<String> seen) {
        try (Http http = Http.to(server.port())) {
            Http.Answer head = http.stream("/subscribe?subject=" + subject + "&from=" + from, "Accept: " + accept);
            assertThat(head.headers()).containsEntry("content-type", accept);
            Http.LineSource lines = http.lines();
            Position at = from;
            for (int i = 0; i < count; ) {
                JsonNode event = Http.json(
                        awaitLine(lines, prefix.isEmpty() ? "{" : prefix).substring(prefix.length()));
                if (event.path("op").asText().equals("message")) {
                    seen.add(event.path("data").asText());
                    at = position(event);
                    i++;
                }
            }
            return at;
        }
    }

    private Position overPoll(Position from, int count, List<String> seen) {
        Position at = from;
        try (Http http = Http.to(server.port())) {
            int before = seen.size();
            while (seen.size() < before + count) {
                JsonNode answer = http.get("/poll?subject=" + subject + "&from=" + at + "&wait=10s")
                        .json();
                take(answer.path("messages"), seen);
                at = position(answer);
            }
        }
        return at;
    }

    private static Position take(JsonNode messages, List<String> seen) {
        Position at = new Position(0, 0);
        for (JsonNode message : messages) {
            seen.add(message.path("data").asText());
            at = position(message);
        }
        return at;
    }

    private static Position position(JsonNode event) {
        return new Position(event.path("epoch").asLong(-1), event.path("seq").asLong(-1));
    }

    @Test
    void aPollWaitsForTheNextMessageOrEndsEmpty() {
        Position at = publish(1);
        try (Http http = Http.to(server.port())) {
            Http.Answer empty = http.get("/poll?subject=" + subject + "&from=" + at + "&wait=200ms");
            assertThat(empty.status()).isEqualTo(200);
            assertThat(empty.json().path("messages")).isEmpty();
            assertThat(position(empty.json())).isEqualTo(at);
            http.raw().send(Http.text("GET", "/poll?subject=" + subject + "&from=" + at + "&wait=20s", ""));
            publish(1);
            JsonNode answer = http.answer().json();
            assertThat(answer.path("messages")).hasSize(1);
            assertThat(answer.path("messages").get(0).path("data").asText()).isEqualTo("2");
        }
    }

    @Test
    void aPollAfterEvictedMessagesBeginsWithTheGap() {
        Position first = publish(1);
        publish(KEPT + 10);
        try (Http http = Http.to(server.port())) {
            JsonNode messages = http.get("/poll?subject=" + subject + "&from=" + first)
                    .json()
                    .path("messages");
            assertThat(messages.get(0).path("op").asText()).isEqualTo("gap");
            assertThat(messages).hasSize(KEPT + 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRetainedMessageIsSentFirstAndAnEmptyOneClearsIt(WireEncoding encoding) {
        publisher.retain(subject, "kept", null);
        try (TestClient client = TestClient.open(server, encoding)) {
            client.subscribe(subject);
            Event.Message snapshot = client.expect(Event.Message.class);
            assertThat(snapshot.type()).isEqualTo(MessageType.SNAPSHOT);
            assertThat(snapshot.retained()).isTrue();
            assertThat(snapshot.data()).isEqualTo("kept");
        }
        publisher.retain(subject, "", null);
        try (TestClient client = TestClient.open(server, encoding)) {
            client.subscribe(subject);
            client.ping(1);
            assertThat(client.next()).isEqualTo(new Event.Pong(1));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theSameMsgIdIsDeliveredOnce(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding);
                TestClient again = TestClient.open(server, encoding)) {
            client.subscribe(subject);
            Position first = again.retain(subject, "once", "order-17");
            assertThat(again.retain(subject, "once", "order-17")).isEqualTo(first);
            publish(1);
            assertThat(client.data(2)).containsExactly("once", "1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDrainTellsEverySessionWhenToReconnect(WireEncoding encoding) {
        try (TestServer draining = TestServer.start();
                TestClient client = TestClient.open(draining, encoding);
                Http stream = Http.to(draining.port())) {
            client.subscribe("/a");
            stream.stream("/subscribe?subject=/a", "Accept: application/x-ndjson");
            Http.LineSource lines = stream.lines();
            awaitLine(lines, "{\"op\":\"subscribed\"");
            draining.drain(200);
            assertThat(client.expect(Event.Reconnect.class).reason()).isEqualTo("drain");
            Event.Closed closed = client.expect(Event.Closed.class);
            assertThat(closed.code()).isEqualTo(1001);
            assertThat(closed.reason()).startsWith("drain");
            awaitLine(lines, "{\"op\":\"reconnect\"");
            Http.Answer refused = SocketFrames.ask(draining.port());
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.code()).isEqualTo("not-ready");
        }
    }

    @Test
    void duringADrainNewConnectionsAreServedOnlyProbes() {
        try (TestServer draining = TestServer.start()) {
            draining.drain(60_000);
            try (Http probe = Http.to(draining.port())) {
                assertThat(probe.get("/health/live").status()).isEqualTo(200);
                Http.Answer ready = probe.get("/health/ready");
                assertThat(ready.status()).isEqualTo(503);
                assertThat(ready.json().path("reason").asText()).isEqualTo("draining");
                assertThat(probe.get("/health/live").status()).isEqualTo(200);
            }
            for (String path : List.of("/subscribe?subject=/a", "/poll?subject=/a", "/history?subject=/a", "/")) {
                try (Http late = Http.to(draining.port())) {
                    Http.Answer refused = late.get(path);
                    assertThat(refused.status()).as(path).isEqualTo(503);
                    assertThat(refused.code()).isEqualTo("not-ready");
                    assertThat(refused.headers()).containsKey("retry-after").containsEntry("connection", "close");
                }
            }
            assertThat(SocketFrames.ask(draining.port()).headers()).containsKey("retry-after");
        }
    }
}
