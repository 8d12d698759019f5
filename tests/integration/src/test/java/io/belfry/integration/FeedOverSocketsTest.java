package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.SubscribeRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the subjects with the figures of a single server: permissions, refused publishes, and delivery. */
@Tag("slow")
final class FeedOverSocketsTest {
    private static final String STATS = "/$node/feed/stats";
    private static final String EVERYTHING = "{\"all\":[\"/**\"]}";
    private static final String SYSTEM = "{\"all\":[\"/**\"],\"system\":true}";

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start("NodeName=feed", "Entitlement=JWT", "Jwt.Secret=" + Jwts.SECRET);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String token(String permissions) {
        return Jwts.hs256(Jwts.claims(600, permissions));
    }

    private static String bearer(String permissions) {
        return "Authorization: Bearer " + token(permissions);
    }

    private static TestClient open(WireEncoding encoding, String permissions) {
        return TestClient.open(server, encoding, bearer(permissions));
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void figuresArriveOncePerSecond(WireEncoding encoding) {
        try (TestClient client = open(encoding, SYSTEM)) {
            client.subscribe(STATS);
            Event.Message first = liveOne(client);
            long begun = System.nanoTime();
            List<Long> seqs = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Event.Message next = client.expect(Event.Message.class);
                seqs.add(next.at().seq() - first.at().seq());
                assertThat(Http.json(next.data()).path("node").asText()).isEqualTo("feed");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun).toMillis()).isBetween(2_000L, 10_000L);
            assertThat(seqs).containsExactly(1L, 2L, 3L);
            assertThat(first.retained()).isTrue();
        }
    }

    private static Event.Message liveOne(TestClient client) {
        Event.Message next = client.expect(Event.Message.class);
        while (next.type() != MessageType.LIVE) {
            next = client.expect(Event.Message.class);
        }
        return next;
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void withoutTheSystemPermissionASubscriptionIsDenied(WireEncoding encoding) {
        try (TestClient client = open(encoding, EVERYTHING)) {
            client.ask(STATS);
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("subscribe-denied");
        }
        // A client that may do nothing else may have this permission.
        try (TestClient client = open(encoding, "{\"system\":true}")) {
            client.subscribe(STATS);
            liveOne(client);
        }
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void patternsNeverBringFigures(WireEncoding encoding) {
        try (TestClient client = open(encoding, SYSTEM);
                TestClient byName = open(encoding, SYSTEM)) {
            client.subscribe("/**");
            client.ask("/$node/*/stats");
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("wildcard-not-allowed");
            client.ask("/$node/**");
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("wildcard-not-allowed");
            byName.subscribe(STATS);
            liveOne(byName);
            liveOne(byName);
            // The next event of the pattern is this message, so it brought no figures.
            client.send("/pattern/end", "x");
            assertThat(client.await(Event.Message.class).subject()).isEqualTo("/pattern/end");
        }
    }

    @ParameterizedTest
    @EnumSource
    void clientsCannotPublishOrWatch(WireEncoding encoding) {
        try (TestClient client = open(encoding, SYSTEM)) {
            client.send(STATS, "x");
            Event.Failed refused = client.expect(Event.Failed.class);
            assertThat(refused.code()).isEqualTo("bad-subject");
            assertThat(refused.reason()).contains("reserved");
            client.watch(STATS);
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("bad-subject");
        }
    }

    @Test
    void theRulesHoldOverHttpToo() {
        try (Http http = Http.to(server.port());
                TestClient client = open(WireEncoding.JSON, SYSTEM)) {
            assertThat(http.post("/publish?subject=" + STATS, "x", bearer(SYSTEM))
                            .code())
                    .isEqualTo("bad-subject");
            assertThat(http.get("/history?subject=" + STATS, bearer(EVERYTHING)).code())
                    .isEqualTo("subscribe-denied");
            assertThat(http.get("/subscribe?subject=" + STATS, bearer(EVERYTHING))
                            .status())
                    .isEqualTo(403);
            assertThat(http.get("/subscribe?subject=/$node/*/stats", bearer(SYSTEM))
                            .code())
                    .isEqualTo("wildcard-not-allowed");
            client.subscribe(STATS);
            liveOne(client);
            JsonNode history =
                    http.get("/history?subject=" + STATS, bearer(SYSTEM)).json().path("messages");
            assertThat(history).isNotEmpty();
            JsonNode poll = http.get("/poll?subject=" + STATS, bearer(SYSTEM)).json();
            assertThat(poll.path("messages")).isNotEmpty();
        }
    }

    @Test
    void aStreamOverHttpBringsFigures() {
        for (String type : List.of("text/event-stream", "application/x-ndjson")) {
            try (RawConnection stream = RawConnection.to(server.port())) {
                stream.send(Http.text("GET", "/subscribe?subject=" + STATS, "", bearer(SYSTEM), "Accept: " + type));
                StringBuilder read = new StringBuilder();
                while (!read.toString().contains("connectedSessions")) {
                    read.append(stream.line());
                }
            }
        }
    }

    @Test
    @Tag("complete")
    void nothingIsPublishedWhileNobodySubscribes() throws InterruptedException {
        String slow = "/$node/feed/slow";
        Position last;
        try (TestClient client = open(WireEncoding.JSON, SYSTEM)) {
            client.subscribe(slow);
            liveOne(client);
            last = liveOne(client).at();
        }
        // At most two messages are on their way when the last subscriber leaves.
        Thread.sleep(2_500);
        JsonNode before = lastOf(slow);
        Thread.sleep(2_500);
        assertThat(lastOf(slow)).isEqualTo(before);
        try (TestClient client = open(WireEncoding.BINARY, SYSTEM)) {
            assertThat(client.resume(slow, last).recovery()).isEqualTo(Recovery.COMPLETE);
            long expected = last.seq();
            for (int i = 0; i < 4; i++) {
                assertThat(client.expect(Event.Message.class).at().seq()).isEqualTo(++expected);
            }
        }
    }

    private static JsonNode lastOf(String subject) {
        try (Http http = Http.to(server.port())) {
            JsonNode messages = http.get("/history?subject=" + subject + "&count=1", bearer(SYSTEM))
                    .json();
            return messages.path("messages").path(messages.path("messages").size() - 1);
        }
    }

    @Test
    void aLateSubscriberGetsTheLastMessageAndHistory() {
        String lanes = "/$node/feed/lanes";
        try (TestClient first = open(WireEncoding.JSON, SYSTEM)) {
            first.subscribe(lanes);
            liveOne(first);
            liveOne(first);
            try (TestClient late = open(WireEncoding.BINARY, SYSTEM)) {
                late.subscribe(lanes);
                assertThat(late.expect(Event.Message.class).type()).isEqualTo(MessageType.SNAPSHOT);
            }
            try (TestClient late = open(WireEncoding.BINARY, SYSTEM)) {
                late.ask(new SubscribeRequest(List.of(TestClient.bytes(lanes)), null, 2, 0));
                late.expect(Event.Subscribed.class);
                assertThat(late.expect(Event.Message.class).type()).isEqualTo(MessageType.HISTORY);
                assertThat(Http.json(late.expect(Event.Message.class).data()).path("workgroups"))
                        .hasSize(2);
            }
        }
    }

    @Test
    void aTokenWithoutThePermissionEndsTheSubscription() {
        try (TestClient client = open(WireEncoding.JSON, SYSTEM)) {
            client.subscribe(STATS);
            client.connect(token(EVERYTHING));
            assertThat(client.await(Event.Ended.class)).isEqualTo(new Event.Ended(STATS, "subscribe-denied"));
        }
    }

    @Test
    void eachSubjectHasItsObject() {
        Map<String, String> fields = Map.of(
                "/$node/feed/latency", "counts",
                "/$node/feed/lanes", "workgroups",
                "/$node/feed/slow", "slowest",
                "/$node/feed/events", "events",
                "/$cluster/nodes", "sessions");
        try (TestClient client = open(WireEncoding.JSON, SYSTEM)) {
            fields.keySet().forEach(client::ask);
            Map<String, JsonNode> got = new TreeMap<>();
            while (got.size() < fields.size()) {
                Event.Message message = client.await(Event.Message.class);
                got.put(message.subject(), Http.json(message.data()));
            }
            got.forEach((subject, json) -> {
                assertThat(json.has(fields.get(subject))).as(subject).isTrue();
                assertThat(json.path("node").asText()).isEqualTo("feed");
            });
        }
    }

    @Test
    @Tag("complete")
    void underBasicALocalClientMayReadWithoutAToken() {
        try (TestServer basic = TestServer.start("NodeName=feed");
                TestClient client = TestClient.open(basic, WireEncoding.JSON)) {
            client.subscribe(STATS);
            liveOne(client);
        }
        try (TestServer basic = TestServer.start("NodeName=feed", "EntitlementAllowToken=secret-token");
                TestClient client = TestClient.open(basic, WireEncoding.JSON);
                TestClient known = TestClient.open(basic, WireEncoding.BINARY, "Authorization: Bearer secret-token")) {
            client.ask(STATS);
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("subscribe-denied");
            known.subscribe(STATS);
            liveOne(known);
        }
    }
}
