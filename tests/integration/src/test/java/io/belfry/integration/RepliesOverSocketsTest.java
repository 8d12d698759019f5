package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishTerms;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ReplyInboxes;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests inboxes over all transports, who may follow and who may fill them. */
final class RepliesOverSocketsTest {
    private static final String KEY = "AbCdEfGhIjKlMnOpQrStUvWxYz012345";
    private static final String INBOX = ReplyInboxes.of(KEY);
    private static final String FOLLOW = INBOX + "/" + KEY;
    private static final String OTHER = ReplyInboxes.of(KEY + "6");

    private static PublishTerms withId(String id) {
        return new PublishTerms(false, null, Map.of("correlationId", id), 0);
    }

    private static void requireFailure(TestClient client, String code) {
        assertThat(client.expect(Event.Failed.class).code()).isEqualTo(code);
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void onlyWhoKnowsTheKeyFollowsAnInbox(WireEncoding encoding) {
        try (TestServer server = TestServer.start();
                TestClient owner = TestClient.open(server, encoding);
                TestClient other = TestClient.open(server, encoding)) {
            Event.Subscribed begun = owner.subscribe(FOLLOW);
            assertThat(begun.subject()).isEqualTo(INBOX);
            for (String attempt : new String[] {INBOX, OTHER + "/" + KEY, INBOX + "/" + KEY + "6", "/$inbox/x"}) {
                other.ask(attempt);
                requireFailure(other, "subscribe-denied");
            }
            other.ask("/$inbox/*");
            requireFailure(other, "wildcard-not-allowed");
            other.subscribe("/**");
            Position at = other.publish(INBOX, "reply", withId("7"));
            Event.Message reply = owner.expect(Event.Message.class);
            assertThat(reply.subject()).isEqualTo(INBOX);
            assertThat(reply.headers()).isEqualTo(Map.of("correlationId", "7"));
            assertThat(reply.at()).isEqualTo(at);
            assertThat(owner.unsubscribe(INBOX).subject()).isEqualTo(INBOX);
            other.publish(INBOX, "missed");
            Event.Subscribed resumed = owner.resume(FOLLOW, at);
            assertThat(resumed.recovery()).isEqualTo(Recovery.COMPLETE);
            assertThat(owner.expect(Event.Message.class).type()).isEqualTo(MessageType.RECOVERED);
        }
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void aPublishCreatesNoInboxAndNoRetainedMessage(WireEncoding encoding) {
        try (TestServer server = TestServer.start("Workgroups=2");
                TestClient owner = TestClient.open(server, encoding);
                TestClient other = TestClient.open(server, encoding)) {
            owner.subscribe(FOLLOW);
            other.send(OTHER, "to nobody");
            requireFailure(other, "no-inbox");
            other.send(FOLLOW, "x");
            requireFailure(other, "bad-subject");
            other.send(3, INBOX, "x", true, null);
            requireFailure(other, "retain-denied");
            other.publish(INBOX, "x");
            assertThat(owner.expect(Event.Message.class).data()).isEqualTo("x");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1000"})
    void anInboxStaysForAWhileWithoutItsClient(String stored) {
        try (TestServer server = TestServer.start("CacheSize=" + stored);
                TestClient owner = TestClient.open(server, WireEncoding.BINARY);
                TestClient other = TestClient.open(server, WireEncoding.BINARY)) {
            Position begin = Objects.requireNonNull(owner.subscribe(FOLLOW).at());
            owner.unsubscribe(INBOX);
            Position missed = other.publish(INBOX, "meanwhile");
            boolean isStored = !stored.equals("0");
            Event.Subscribed resumed = owner.resume(FOLLOW, begin);
            assertThat(resumed.recovery()).isEqualTo(isStored ? Recovery.COMPLETE : Recovery.GAP);
            if (isStored) {
                assertThat(owner.expect(Event.Message.class).at()).isEqualTo(missed);
            }
        }
    }

    @Test
    void httpReadsAnInboxWithTheKeyOnly() {
        try (TestServer server = TestServer.start();
                TestClient owner = TestClient.open(server, WireEncoding.JSON);
                Http stream = Http.to(server.port());
                Http http = Http.to(server.port())) {
            Position begin = Objects.requireNonNull(owner.subscribe(FOLLOW).at());
            stream.stream("/subscribe?subject=" + FOLLOW + "&subject=/a", "Accept: application/x-ndjson");
            Http.LineSource lines = stream.lines();
            String confirmed = lines.next() + lines.next();
            assertThat(confirmed).contains("\"subject\":\"" + INBOX + "\"").contains("\"subject\":\"/a\"");
            Http.Answer published = http.post("/publish?subject=" + INBOX + "&header=correlationId=7", "reply");
            assertThat(published.json().path("subject").asText()).isEqualTo(INBOX);
            JsonNode line = Http.json(lines.next());
            assertThat(line.path("subject").asText()).isEqualTo(INBOX);
            assertThat(line.path("headers").path("correlationId").asText()).isEqualTo("7");
            for (String path : new String[] {"/history?", "/poll?wait=0&"}) {
                JsonNode read =
                        http.get(path + "subject=" + FOLLOW + "&from=" + begin).json();
                assertThat(read.path("subject").asText()).as(path).isEqualTo(INBOX);
                assertThat(read.path("messages").path(0).path("data").asText()).isEqualTo("reply");
            }
            for (String path : new String[] {"/history?", "/poll?", "/subscribe?"}) {
                Http.Answer denied = http.get(path + "subject=" + INBOX);
                assertThat(denied.status()).as(path).isEqualTo(403);
                assertThat(denied.code()).isEqualTo("subscribe-denied");
            }
            assertThat(http.post("/publish?subject=" + INBOX + "&retain", "x").code())
                    .isEqualTo("retain-denied");
            assertThat(http.post("/publish?subject=" + OTHER, "x").code()).isEqualTo("no-inbox");
        }
    }

    @Test
    void aBackendPublishesToAnInboxThroughTheServerApi() {
        try (ServerInJvm server = ApiCalls.server();
                Http api = Http.to(server.apiPort());
                TestClient owner = withToken(server, "{\"pub\":[\"/orders\"]}")) {
            owner.subscribe(FOLLOW);
            String reply = "{\"subject\":\"" + INBOX + "\",\"data\":\"done\"}";
            assertThat(ApiCalls.post(api, "/v1/publish", reply).status()).isEqualTo(200);
            assertThat(owner.expect(Event.Message.class).data()).isEqualTo("done");
            assertThat(ApiCalls.post(api, "/v1/publish", reply.replace(INBOX, OTHER))
                            .code())
                    .isEqualTo("no-inbox");
        }
    }

    private static String token(String permissions) {
        return Jwts.hs256(Jwts.claims(600, permissions));
    }

    private static TestClient withToken(TestServer server, String permissions) {
        return TestClient.open(server, WireEncoding.JSON, "Authorization: Bearer " + token(permissions));
    }

    @Test
    void aClientThatMayPublishNothingHasNoInboxAndFillsNone() {
        try (TestServer server = TestServer.start("Entitlement=JWT", "Jwt.Secret=" + Jwts.SECRET);
                TestClient owner = withToken(server, "{\"pub\":[\"/orders\"]}");
                TestClient reader = withToken(server, "{\"sub\":[\"/**\"],\"system\":true}");
                TestClient responder = withToken(server, "{\"sub\":[\"/orders\"],\"pub\":[\"/own\"]}")) {
            owner.subscribe(FOLLOW);
            reader.send(INBOX, "x");
            requireFailure(reader, "publish-denied");
            reader.ask(FOLLOW);
            requireFailure(reader, "subscribe-denied");
            responder.publish(INBOX, "reply");
            assertThat(owner.expect(Event.Message.class).data()).isEqualTo("reply");
            owner.connect(token("{\"pub\":[\"/others\"]}"));
            owner.expect(Event.Connected.class);
            responder.publish(INBOX, "after a new token");
            assertThat(owner.expect(Event.Message.class).data()).isEqualTo("after a new token");
            owner.connect(token("{\"sub\":[\"/orders\"]}"));
            owner.expect(Event.Connected.class);
            assertThat(owner.expect(Event.Ended.class)).isEqualTo(new Event.Ended(INBOX, "subscribe-denied"));
        }
    }
}
