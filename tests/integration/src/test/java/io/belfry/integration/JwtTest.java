package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that under JWT a client has the permissions of its token until the token expires. */
final class JwtTest {
    private static final String MAY = "{\"sub\":[\"/a/**\"],\"pub\":[\"/a/*\"]}";

    private static final Jwts KEYS = new Jwts();
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start(
                "Entitlement=JWT",
                "Jwt.SecretFile=" + Jwts.file(Jwts.SECRET),
                "Jwt.PublicKey=" + Jwts.file(KEYS.pem()),
                "Entitlement.TokenTime=5s");
        // The first verification loads classes, which takes long compared with the lifetime of a token here.
        assertThat(SocketFrames.ask(server.port(), bearer(token(60))).status()).isEqualTo(101);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token;
    }

    private static String token(double seconds) {
        return KEYS.es256(Jwts.claims(seconds, MAY));
    }

    @ParameterizedTest
    @EnumSource
    void aTokenGrantsExactlyItsPermissions(WireEncoding encoding) {
        for (String token : List.of(token(60), Jwts.hs256(Jwts.claims(60, MAY)))) {
            try (TestClient client = TestClient.open(server, encoding, bearer(token))) {
                client.subscribe("/a/**");
                assertThat(client.publish("/a/b", "x").seq()).isPositive();
                assertThat(client.expect(Event.Message.class).data()).isEqualTo("x");
                client.send("/a/b/c", "x");
                assertThat(client.expect(Event.Failed.class).code()).isEqualTo("publish-denied");
                client.ask("/**");
                assertThat(client.expect(Event.Failed.class).code()).isEqualTo("subscribe-denied");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSessionWithoutATokenMaySendOneInAConnect(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            client.ask("/a/b");
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("unauthorized");
            client.connect(token(60));
            client.ask("/a/b");
            client.send("/a/b", "x");
            client.expect(Event.Connected.class);
            client.expect(Event.Subscribed.class);
            client.expect(Event.Published.class);
            client.expect(Event.Message.class);
        }
    }

    @Test
    void aSessionThatSendsNoTokenIsClosed() {
        try (TestClient client = TestClient.open(server, WireEncoding.JSON)) {
            assertThat(client.expect(Event.Closed.class))
                    .isEqualTo(new Event.Closed(1008, "unauthorized: no token within Entitlement.TokenTime"));
        }
    }

    @Test
    void aForeignTokenGets401Everywhere() {
        String expired = token(-1);
        for (String wrong : List.of(
                "nonsense", new Jwts().es256(Jwts.claims(60, MAY)), Jwts.hs256(Jwts.claims(60, MAY), KEYS.pem()))) {
            assertThat(SocketFrames.ask(server.port(), bearer(wrong)).code()).isEqualTo("unauthorized");
        }
        Http.Answer handshake = SocketFrames.ask(server.port(), bearer(expired));
        assertThat(handshake.status()).isEqualTo(401);
        assertThat(handshake.code()).isEqualTo("token-expired");
        try (Http http = Http.to(server.port())) {
            assertThat(http.post("/publish?subject=/a/b", "x", bearer(expired)).code())
                    .isEqualTo("token-expired");
            assertThat(http.post("/publish?subject=/a/b", "x").status()).isEqualTo(401);
            assertThat(http.get("/history?subject=/a/b").status()).isEqualTo(401);
            assertThat(http.get("/subscribe?subject=/a/b").status()).isEqualTo(401);
            assertThat(http.get("/subscribe?subject=/b", bearer(token(60))).status())
                    .isEqualTo(403);
            assertThat(http.get("/subscribe?subject=/a/b&token=" + token(60)).status())
                    .as("token as a query parameter is disabled")
                    .isEqualTo(401);
            assertThat(http.post("/publish?subject=/a/b", "x", bearer(token(60)))
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aBrowserMaySendItsTokenAsASubprotocol() {
        String offer = "Sec-WebSocket-Protocol: belfry.json.v1, belfry.bearer.";
        Http.Answer taken = SocketFrames.ask(server.port(), offer + token(60));
        assertThat(taken.status()).isEqualTo(101);
        assertThat(taken.headers()).containsEntry("sec-websocket-protocol", "belfry.json.v1");
        assertThat(SocketFrames.ask(server.port(), offer + "nonsense").status()).isEqualTo(401);
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void aSessionIsWarnedBeforeItsTokenExpires(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding, bearer(token(6)))) {
            client.ask("/a/b");
            client.ask("/a/c");
            assertThat(client.await(Event.TokenToExpire.class).afterMillis()).isBetween(1L, 3100L);
            client.connect(KEYS.es256(Jwts.claims(4, "{\"all\":[\"/a/b\"]}")));
            client.await(Event.Connected.class);
            assertThat(client.expect(Event.Ended.class)).isEqualTo(new Event.Ended("/a/c", "subscribe-denied"));
            client.send("/a/b", "still there");
            client.await(Event.Message.class);
            client.await(Event.TokenToExpire.class);
            Event.Closed closed = client.expect(Event.Closed.class);
            assertThat(closed.code()).isEqualTo(4012);
            assertThat(closed.reason()).startsWith("token-expired");
        }
    }

    @Test
    void aStreamIsWarnedAndEndsWithItsToken() {
        for (String accept : List.of("text/event-stream", "application/x-ndjson")) {
            try (Http http = Http.to(server.port())) {
                http.stream("/subscribe?subject=/a/b&subject=/a/c", bearer(token(3)), "Accept: " + accept);
                StringBuilder heard = new StringBuilder();
                Http.LineSource lines = http.lines();
                try {
                    while (true) {
                        heard.append(lines.next()).append('\n');
                    }
                } catch (RawConnection.Ended ended) {
                    assertThat(heard.toString())
                            .contains("\"op\":\"token-to-expire\",\"after\":")
                            .contains("\"op\":\"error\",\"code\":\"token-expired\"");
                }
            }
        }
    }

    @Test
    void aPollEndsWithItsToken() {
        try (Http http = Http.to(server.port())) {
            Http.Answer answer = http.get("/poll?subject=/a/quiet&wait=20s", bearer(token(3)));
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.json().path("messages")).isEmpty();
        }
    }

    @Test
    void aReplacedKeyTakesEffectWithoutARestart() throws IOException {
        Jwts first = new Jwts();
        Jwts second = new Jwts();
        Path file = Jwts.file(first.pem());
        try (TestServer exchanging = TestServer.start("Entitlement=JWT", "Jwt.PublicKey=" + file, "PingInterval=4s")) {
            String claims = Jwts.claims(60, MAY);
            try (TestClient client = TestClient.open(exchanging, WireEncoding.BINARY, bearer(first.es256(claims)))) {
                client.subscribe("/a/b");
                Files.writeString(file, second.pem());
                Event.Closed closed = client.expect(Event.Closed.class);
                assertThat(closed.code()).as("session of the old key is closed").isEqualTo(1008);
                assertThat(closed.reason()).startsWith("unauthorized");
            }
            assertThat(SocketFrames.ask(exchanging.port(), bearer(first.es256(claims)))
                            .status())
                    .isEqualTo(401);
            assertThat(SocketFrames.ask(exchanging.port(), bearer(second.es256(claims)))
                            .status())
                    .isEqualTo(101);
        }
    }
}
