package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.ApplicationServer.Behaviour;
import io.belfry.integration.ApplicationServer.Received;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishTerms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests events to the application against receivers that accept, fail, hang or switch events off. */
final class EventsTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private static TestServer start(ApplicationServer receiver, String... more) {
        return TestServer.start(Stream.concat(
                        Stream.of(
                                "Events.Endpoint.app=" + receiver.url(),
                                "Events.Secret=" + SECRET,
                                "Events.AnswerTime=10s",
                                "Events.RetryTime=500ms",
                                "Monitor=HTTP",
                                "MonitorHTTP.Listen=127.0.0.1:0",
                                "MonitorHTTP.Authentication=false"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    /** Returns the events that the receiver got, each number once. */
    private static List<JsonNode> events(List<Received> requests) {
        Map<Long, JsonNode> byNumber = new java.util.TreeMap<>();
        for (Received request : requests) {
            Http.json(request.text())
                    .path("events")
                    .forEach(event -> byNumber.put(event.path("seq").asLong(), event));
        }
        return List.copyOf(byNumber.values());
    }

    private static List<String> types(List<Received> requests) {
        return events(requests).stream()
                .map(event -> event.path("type").asText())
                .toList();
    }

    private static long counter(TestServer server, String name) {
        return server.stats().path("counters").path(name).asLong();
    }

    @Test
    void sessionsAreReportedWithUsersInOrder() {
        String grant = "{\"allow\":true,\"user\":\"ada\"}";
        try (ApplicationServer decides = ApplicationServer.open(question -> grant);
                ApplicationServer receiver = ApplicationServer.open(batch -> "");
                TestServer server =
                        start(receiver, "Entitlement=Http", "Decide.Url=" + decides.url(), "Decide.Secret=" + SECRET)) {
            try (TestClient client = TestClient.open(server, WireEncoding.JSON);
                    Http call = Http.to(server.port())) {
                client.connect("token");
                client.expect(Event.Connected.class);
                call.post("/publish?subject=/a", "x");
            }
            Await.until("the end arrives", () -> types(receiver.received).contains("session.closed"));
            assertThat(types(receiver.received))
                    .containsExactly("node.started", "session.opened", "session.user", "session.closed");
            JsonNode closed = events(receiver.received).getLast();
            assertThat(closed.path("user").asText()).isEqualTo("ada");
            assertThat(closed.path("code").asText()).isNotEmpty();
            assertThat(closed.path("session").asText())
                    .isEqualTo(events(receiver.received).get(1).path("session").asText());
            assertThat(receiver.received.getFirst().headers().getFirst("webhook-signature"))
                    .startsWith("v1,");
            Await.until("deliveries are counted", () -> counter(server, "eventsDelivered") == 4);
        }
    }

    private static TestClient member(TestServer server, String user) {
        TestClient client =
                TestClient.open(server, WireEncoding.JSON, "Authorization: Bearer " + ApiCalls.token(user, ""));
        client.subscribe("/rooms/7");
        return client;
    }

    @Test
    void membersThatReturnInTimeAreNotReported() {
        try (ApplicationServer receiver = ApplicationServer.open(batch -> "");
                ApplicationServer other = ApplicationServer.open(batch -> "");
                TestServer server = startWithRooms(
                        receiver,
                        "Presence.LeaveTime=1 s",
                        "Events.Endpoint.rooms=" + other.url() + " presence.left presence.joined");
                TestClient stays = member(server, "bob")) {
            for (int i = 0; i < 3; i++) {
                member(server, "ann").close();
            }
            stays.ping(1);
            Await.until("ann leaves", () -> types(other.received).contains("presence.left"));
            assertThat(events(other.received).stream()
                            .map(event -> "%s %s %s %d"
                                    .formatted(
                                            event.path("type").asText(),
                                            event.path("subject").asText(),
                                            event.path("user").asText(),
                                            event.path("seq").asLong())))
                    .containsExactly(
                            "presence.joined /rooms/7 bob 1",
                            "presence.joined /rooms/7 ann 2",
                            "presence.left /rooms/7 ann 3");
            assertThat(events(other.received).getLast().has("session")).isFalse();
            long delay = events(other.received).getLast().path("time").asLong()
                    - events(other.received).get(1).path("time").asLong();
            assertThat(delay).isBetween(1_000L, 20_000L);
            assertThat(types(receiver.received)).contains("session.closed", "presence.joined");
        }
    }

    private static TestServer startWithRooms(ApplicationServer receiver, String... more) {
        return start(
                receiver,
                Stream.concat(
                                Stream.of(
                                        "Entitlement=JWT",
                                        "Jwt.Secret=" + Jwts.SECRET,
                                        "Subjects.1=/rooms/* presence=yes"),
                                Stream.of(more))
                        .toArray(String[]::new));
    }

    @Test
    void subjectsAreReportedFromTheirFirstToTheirLastSubscriber() {
        try (ApplicationServer receiver = ApplicationServer.open(batch -> "");
                ApplicationServer other = ApplicationServer.open(batch -> "");
                TestServer server = start(
                        receiver,
                        "Subjects.1=/prices/* events=subscribers",
                        "Events.VacantTime=0",
                        "Events.Endpoint.prices=" + other.url() + " subject.occupied subject.vacated")) {
            try (TestClient first = TestClient.open(server, WireEncoding.JSON);
                    TestClient second = TestClient.open(server, WireEncoding.BINARY)) {
                first.subscribe("/prices/1");
                first.subscribe("/other");
                second.subscribe("/prices/1");
            }
            Await.until("the end arrives", () -> types(other.received).contains("subject.vacated"));
            assertThat(events(other.received).stream()
                            .map(event -> "%s %s %d"
                                    .formatted(
                                            event.path("type").asText(),
                                            event.path("subject").asText(),
                                            event.path("seq").asLong())))
                    .containsExactly("subject.occupied /prices/1 1", "subject.vacated /prices/1 2");
            JsonNode vacated = events(other.received).getLast();
            assertThat(vacated.has("user") || vacated.has("session")).isFalse();
            assertThat(types(receiver.received)).contains("session.closed", "subject.occupied");
        }
    }

    @Test
    void aSlowSessionIsReportedOnceBeforeItsEnd() {
        try (ApplicationServer receiver = ApplicationServer.open(batch -> "");
                TestServer server = start(
                        receiver, "SlowConsumer=conflate", "SlowConsumer.MaxBytes=64 KB", "SlowConsumer.Grace=1 m");
                TestClient publisher = TestClient.open(server, WireEncoding.JSON)) {
            try (TestClient slow =
                    TestClient.over(RawConnection.to("127.0.0.1", server.port(), 4096), WireEncoding.BINARY)) {
                slow.subscribe("/stream");
                for (int sent = 0; sent < 20_000 && !types(receiver.received).contains("session.slow"); sent++) {
                    publisher.publish("/stream", "d".repeat(8_000));
                }
                for (int i = 0; i < 100; i++) {
                    publisher.publish("/stream", "d".repeat(8_000));
                }
            }
            Await.until("the session ends", () -> types(receiver.received).contains("session.closed"));
            assertThat(types(receiver.received))
                    .filteredOn("session.slow"::equals)
                    .hasSize(1);
            JsonNode slow =
                    events(receiver.received).get(types(receiver.received).indexOf("session.slow"));
            assertThat(slow.path("code").asText()).isEqualTo("conflated");
            assertThat(slow.path("session").asText())
                    .isEqualTo(
                            events(receiver.received).getLast().path("session").asText());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "disk"})
    void eachMessageOfASubjectIsAnEvent(String history) throws Exception {
        Path folder = Files.createTempDirectory(TestMachine.target(), "events");
        try (ApplicationServer receiver = ApplicationServer.open(batch -> "");
                ApplicationServer other = ApplicationServer.open(batch -> "");
                TestServer server = startWithRooms(
                        receiver,
                        "History=" + history,
                        "History.Folder=" + folder,
                        "Subjects.2=/orders/* events=messages publisher=yes",
                        "Events.Endpoint.orders=" + other.url() + " message");
                TestClient client = TestClient.open(
                        server, WireEncoding.JSON, "Authorization: Bearer " + ApiCalls.token("ann", ""))) {
            client.publish("/other", "no event");
            Position first =
                    client.publish("/orders/7", "one", new PublishTerms(true, "id-1", Map.of("kind", "new"), 60_000));
            assertThat(client.publish("/orders/7", "again", new PublishTerms(false, "id-1", Map.of())))
                    .isEqualTo(first);
            client.sendRaw(
                    TestClient.bytes("{\"op\":\"publish\",\"id\":9,\"subject\":\"/orders/7\",\"base64\":\"AP8=\"}"));
            Position second = client.expect(Event.Published.class).at();
            client.publish("/orders/8", "last");
            Await.until("the events arrive", () -> types(other.received).size() == 3);
            JsonNode event = events(other.received).getFirst();
            assertThat(event.path("type").asText()).isEqualTo("message");
            assertThat(event.path("subject").asText()).isEqualTo("/orders/7");
            assertThat(event.path("position").asText()).isEqualTo(first.epoch() + ":" + first.seq());
            assertThat(event.path("user").asText()).isEqualTo("ann");
            assertThat(event.path("data").asText()).isEqualTo("one");
            assertThat(event.path("retained").asBoolean()).isTrue();
            assertThat(event.path("headers").toString())
                    .isEqualTo("{\"$ttl\":\"60000\",\"$publisher\":\"ann\",\"kind\":\"new\"}");
            JsonNode binary = events(other.received).get(1);
            assertThat(binary.path("base64").asText()).isEqualTo("AP8=");
            assertThat(binary.path("position").asText()).isEqualTo(second.epoch() + ":" + second.seq());
            assertThat(events(other.received).getLast().path("subject").asText())
                    .isEqualTo("/orders/8");
        }
    }

    /** Every number is an event or within a range that was missed, up to the last number. */
    private static long covered(List<Received> accepted) {
        long next = 1;
        for (JsonNode event : events(accepted)) {
            assertThat(event.path("seq").asLong()).isEqualTo(next);
            next = event.path("type").asText().equals("missed")
                    ? event.path("toSeq").asLong() + 1
                    : next + 1;
        }
        return next - 1;
    }

    @Test
    void withARandomReceiverNoEventIsLostInSilence() {
        int sessions = 200;
        try (ApplicationServer receiver = ApplicationServer.open(batch -> "");
                TestServer server = startWithRooms(
                        receiver,
                        "Events.Waiting=40",
                        "Events.Batch=7",
                        "Events.RetryTime=100ms",
                        "Presence.LeaveTime=0")) {
            receiver.behaviour = Behaviour.RANDOM;
            for (int i = 0; i < sessions / 10; i++) {
                List<TestClient> clients = new ArrayList<>();
                for (int j = 0; j < 10; j++) {
                    clients.add(member(server, "user" + i + "-" + j));
                }
                clients.forEach(TestClient::close);
                if (i == 0) {
                    // These events fit into the queue, so each of their types arrives.
                    awaitCovered(receiver, 1 + 4 * 10);
                    assertThat(types(receiver.accepted))
                            .contains("session.opened", "presence.joined", "session.closed", "presence.left");
                }
            }
            awaitCovered(receiver, 1 + 4 * sessions);
            long missed = events(receiver.accepted).stream()
                    .mapToLong(event -> event.path("count").asLong())
                    .sum();
            Await.until("missed events are counted", () -> counter(server, "eventsMissed") == missed);
            Await.until("nothing waits", () -> counter(server, "eventsWaiting") == 0);
            Await.until("failures are counted", () -> counter(server, "eventFailures") > 0);
            assertRepeatedUnchanged(receiver.received);
        }
    }

    private static void awaitCovered(ApplicationServer receiver, long events) {
        Await.until(
                "all events are delivered or announced as missed",
                Duration.ofSeconds(60),
                () -> covered(receiver.accepted) == events);
    }

    private static void assertRepeatedUnchanged(List<Received> requests) {
        Map<String, String> bodies = new HashMap<>();
        for (Received request : requests) {
            String before = bodies.put(request.headers().getFirst("webhook-id"), request.text());
            assertThat(before == null || before.equals(request.text())).isTrue();
        }
        assertThat(bodies).hasSizeLessThan(requests.size());
    }

    @Test
    void aHangingReceiverDisturbsNothingAndLearnsItsLoss() {
        try (ApplicationServer receiver = ApplicationServer.open(batch -> "");
                ApplicationServer other = ApplicationServer.open(batch -> "")) {
            receiver.behaviour = Behaviour.HANGS;
            try (TestServer server = start(
                            receiver,
                            "Events.AnswerTime=3s",
                            "Events.Waiting=5",
                            "Events.Endpoint.other=" + other.url() + " session.opened");
                    TestClient client = TestClient.open(server, WireEncoding.JSON)) {
                for (int i = 0; i < 30; i++) {
                    TestClient.open(server, WireEncoding.JSON).close();
                    long begin = System.nanoTime();
                    client.ping(i);
                    assertThat(client.expect(Event.Pong.class).id()).isEqualTo(i);
                    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
                }
                Await.until("events are missed", () -> counter(server, "eventsMissed") > 0);
                // The bound of five events counts for the other endpoint too.
                Await.until("the other endpoint has its events", () -> covered(other.received) == 31);
                assertThat(types(other.received)).isSubsetOf("session.opened", "missed");
                receiver.behaviour = Behaviour.ANSWERS;
                Await.until(
                        "the loss is announced", () -> types(receiver.accepted).contains("missed"));
                assertThat(covered(receiver.accepted)).isPositive();
            }
        }
    }

    @Test
    void status410SwitchesAnEndpointOff() {
        try (ApplicationServer receiver = ApplicationServer.open(batch -> "")) {
            receiver.behaviour = Behaviour.GONE;
            try (TestServer server = start(receiver)) {
                Await.until("the first request is refused", () -> counter(server, "eventFailures") == 1);
                TestClient.open(server, WireEncoding.JSON).close();
                assertThat(counter(server, "eventRequests")).isEqualTo(1);
                assertThat(counter(server, "eventsWaiting")).isZero();
                assertThat(counter(server, "eventsMissed")).isEqualTo(1);
            }
        }
    }

    @Test
    void eventsThatWaitForAnEndpointWithStatus410AreDropped() {
        try (ApplicationServer receiver = ApplicationServer.open(batch -> "")) {
            receiver.behaviour = Behaviour.FAILS;
            try (TestServer server = start(receiver, "Events.Batch=1")) {
                TestClient.open(server, WireEncoding.JSON).close();
                Await.until("two events wait", () -> counter(server, "eventsWaiting") == 2);
                receiver.behaviour = Behaviour.GONE;
                Await.until("no event waits", () -> counter(server, "eventsWaiting") == 0);
                Await.until("all are counted as missed", () -> counter(server, "eventsMissed") == 3);
                assertThat(counter(server, "eventsDelivered")).isZero();
            }
        }
    }

    @Test
    void aWrongEndpointIsRefusedAtTheStart() {
        assertThatThrownBy(() -> TestServer.start("Events.Endpoint.a=http://example.org/", "Events.Secret=" + SECRET))
                .hasMessageContaining("Events.Endpoint.a")
                .hasMessageContaining("https");
        assertThatThrownBy(() -> TestServer.start(
                        "Events.Endpoint.a=http://127.0.0.1:1/ session.lost", "Events.Secret=" + SECRET))
                .hasMessageContaining("session.lost");
        assertThatThrownBy(() -> TestServer.start("Events.Endpoint.a=http://127.0.0.1:1/"))
                .hasMessageContaining("Events.Secret");
    }
}
