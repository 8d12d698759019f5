package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.Position;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the options of subjects over WebSocket and HTTP. */
final class SubjectOptionsTest {
    private static List<Long> history(TestServer server, String subject) {
        try (Http http = Http.to(server.port())) {
            List<Long> seqs = new ArrayList<>();
            JsonNode messages =
                    http.get("/history?count=1000&subject=" + subject).json().path("messages");
            messages.forEach(message -> seqs.add(message.path("seq").asLong()));
            return seqs;
        }
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void aHistoryHasTheLengthOfItsPatternAndAReloadChangesIt(WireEncoding encoding) {
        try (TestServer server = TestServer.start("CacheSize=5", "Subjects.20=/rooms/** history=2");
                TestClient client = TestClient.open(server, encoding)) {
            for (int i = 0; i < 10; i++) {
                client.publish("/rooms/7", "r" + i);
                client.publish("/other", "o" + i);
            }
            assertThat(history(server, "/rooms/7")).containsExactly(9L, 10L);
            assertThat(history(server, "/other")).hasSize(5);
            Position first = new Position(client.publish("/rooms/7", "last").epoch(), 5);
            client.resume("/rooms/7", first);
            assertThat(client.expect(Event.Gap.class).to().seq()).isEqualTo(9);
            assertThat(client.data(2)).containsExactly("r9", "last");
            server.reload("Subjects.10=/rooms/7 history=3");
            client.awaitReload();
            assertThat(history(server, "/rooms/7")).containsExactly(9L, 10L, 11L);
        }
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void aSubjectMayBeOpenForPublishersWithoutAPermission(WireEncoding encoding) {
        String open = "Subjects.1=/chat/** publish=anyone";
        try (TestServer server = TestServer.start("EntitlementAllowToken=a-token-of-tests", open);
                TestClient client = TestClient.open(server, encoding);
                Http http = Http.to(server.port())) {
            client.publish("/chat/1", "x");
            assertThat(http.post("/publish?subject=/chat/1", "y").status()).isEqualTo(200);
            client.send("/other", "x");
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("publish-denied");
            assertThat(http.post("/publish?subject=/other", "y").status()).isEqualTo(403);
            server.reload("Subjects.1=/chat/** publish=users");
            client.awaitReload();
            client.send("/chat/1", "x");
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("publish-denied");
        }
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void aSubjectMayBeOpenForPublishersWithAUser(WireEncoding encoding) {
        String[] settings = {
            "Entitlement=JWT",
            "Jwt.Secret=" + Jwts.SECRET,
            "Subjects.1=/chat/** publish=users",
            "Subjects.2=/all publish=anyone"
        };
        String reads = Jwts.claims(60, "{\"sub\":[\"/**\"]}");
        String named = "{\"sub\":\"ann\"," + reads.substring(1);
        try (TestServer server = TestServer.start(settings);
                TestClient ann = TestClient.open(server, encoding, "Authorization: Bearer " + Jwts.hs256(named));
                TestClient anonymous = TestClient.open(server, encoding, "Authorization: Bearer " + Jwts.hs256(reads));
                TestClient stranger = TestClient.open(server, encoding)) {
            ann.publish("/chat/1", "x");
            ann.send("/other", "x");
            assertThat(ann.expect(Event.Failed.class).code()).isEqualTo("publish-denied");
            anonymous.publish("/all", "x");
            anonymous.send("/chat/1", "x");
            assertThat(anonymous.expect(Event.Failed.class).code()).isEqualTo("publish-denied");
            stranger.send("/all", "x");
            assertThat(stranger.expect(Event.Failed.class).code())
                    .as("without a token")
                    .isEqualTo("unauthorized");
        }
    }

    @Test
    void aRefusedReloadLeavesTheOptions() {
        try (TestServer server = TestServer.start("CacheSize=5", "Subjects.20=/rooms/** history=2");
                TestClient client = TestClient.open(server, WireEncoding.JSON)) {
            for (int i = 0; i < 4; i++) {
                client.publish("/rooms/7", "r" + i);
            }
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> server.reload("Subjects.20=/rooms/** histroy=3"))
                    .hasMessageContaining("histroy is not an option");
            assertThat(history(server, "/rooms/7")).hasSize(2);
        }
    }
}
