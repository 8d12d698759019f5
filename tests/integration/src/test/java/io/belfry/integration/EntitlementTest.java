package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests Basic entitlement: all clients may subscribe, the token permits publishing, and pages of other sites are
 * refused.
 */
final class EntitlementTest {
    private static final String TOKEN = "a-token-of-tests";
    private static final String BEARER = "Authorization: Bearer " + TOKEN;

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start("EntitlementAllowToken=" + TOKEN, "AllowedOrigins=https://app.example");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void withoutTheTokenASessionMayOnlySubscribe(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            client.subscribe("/a");
            long id = client.send("/a", "x");
            Event.Failed error = client.expect(Event.Failed.class);
            assertThat(error.code()).isEqualTo("publish-denied");
            assertThat(error.id()).isEqualTo(id);
            assertThat(error.subject()).isEqualTo("/a");
            client.ping(3);
            assertThat(client.next()).isEqualTo(new Event.Pong(3));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theTokenOfTheHandshakeAllowsPublishing(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding, BEARER)) {
            assertThat(client.publish("/header", "x").seq()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theTokenOfAConnectAllowsPublishing(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            long id = client.connect(TOKEN);
            Event.Connected connected = client.expect(Event.Connected.class);
            assertThat(connected.id()).isEqualTo(id);
            assertThat(connected.pingMillis()).isEqualTo(25_000);
            assertThat(connected.maxMessage()).isEqualTo(64 * 1024);
            assertThat(connected.session()).isNotEmpty();
            assertThat(connected.node()).isNotEmpty();
            assertThat(client.publish("/connect", "x").seq()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aConnectWithoutATokenGrantsNothingNew(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            client.connect(null);
            client.expect(Event.Connected.class);
            client.send("/a", "x");
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("publish-denied");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWrongTokenInAConnectClosesTheSession(WireEncoding encoding) {
        try (TestClient client = TestClient.open(server, encoding)) {
            long id = client.connect("another-token");
            Event.Failed error = client.expect(Event.Failed.class);
            assertThat(error.code()).isEqualTo("unauthorized");
            assertThat(error.id()).isEqualTo(id);
            Event.Closed closed = client.expect(Event.Closed.class);
            assertThat(closed.code()).isEqualTo(1008);
            assertThat(closed.reason()).startsWith("unauthorized");
        }
    }

    @Test
    void aWrongTokenInAHandshakeOrARequestGets401() {
        Http.Answer handshake = SocketFrames.ask(server.port(), "Authorization: Bearer wrong-token");
        assertThat(handshake.status()).isEqualTo(401);
        assertThat(handshake.code()).isEqualTo("unauthorized");
        assertThat(handshake.headers()).containsKey("www-authenticate");
        try (Http http = Http.to(server.port())) {
            Http.Answer publish = http.post("/publish?subject=/a", "x", "Authorization: Bearer wrong-token");
            assertThat(publish.status()).isEqualTo(401);
            Http.Answer history = http.get("/history?subject=/a", "Authorization: Bearer wrong-token");
            assertThat(history.status()).isEqualTo(401);
        }
    }

    @Test
    void anHttpPublishNeedsTheTokenAndReadingDoesNot() {
        try (Http http = Http.to(server.port())) {
            Http.Answer denied = http.post("/publish?subject=/http", "x");
            assertThat(denied.status()).isEqualTo(403);
            assertThat(denied.code()).isEqualTo("publish-denied");
            assertThat(http.post("/publish?subject=/http", "x", BEARER).status())
                    .isEqualTo(200);
            assertThat(http.post("/publish?subject=/http", "y").status())
                    .as("status of a request without a token on the same connection")
                    .isEqualTo(403);
            assertThat(http.get("/history?subject=/http").json().path("messages"))
                    .hasSize(1);
        }
    }

    @Test
    void aPageOfAnotherSiteIsRefusedEverywhere() {
        String origin = "Origin: https://evil.example";
        Http.Answer handshake = SocketFrames.ask(server.port(), origin);
        assertThat(handshake.status()).isEqualTo(403);
        assertThat(handshake.code()).isEqualTo("origin-denied");
        try (Http http = Http.to(server.port())) {
            for (String target : new String[] {"/subscribe?subject=/a", "/poll?subject=/a", "/history?subject=/a"}) {
                Http.Answer answer = http.get(target, origin);
                assertThat(answer.status()).isEqualTo(403);
                assertThat(answer.headers()).doesNotContainKey("access-control-allow-origin");
            }
            assertThat(http.post("/publish?subject=/a", "x", origin, BEARER).status())
                    .isEqualTo(403);
        }
    }

    @Test
    void aPageOfAnAllowedSiteMayReadTheAnswers() {
        String origin = "Origin: https://app.example";
        assertThat(SocketFrames.ask(server.port(), origin).status()).isEqualTo(101);
        try (Http http = Http.to(server.port())) {
            Http.Answer answer = http.get("/history?subject=/a", origin);
            assertThat(answer.headers())
                    .containsEntry("access-control-allow-origin", "https://app.example")
                    .containsEntry("vary", "Origin");
            Http.Answer preflight = http.request(
                    "OPTIONS",
                    "/publish?subject=/a",
                    "",
                    origin,
                    "Access-Control-Request-Method: POST",
                    "Access-Control-Request-Headers: authorization");
            assertThat(preflight.status()).isEqualTo(204);
            assertThat(preflight.headers().get("access-control-allow-methods")).contains("POST");
            assertThat(preflight.headers().get("access-control-allow-headers")).containsIgnoringCase("authorization");
        }
    }

    @Test
    void byDefaultOnlyPagesOfTheServersOriginAreAccepted() {
        try (TestServer plain = TestServer.start()) {
            assertThat(SocketFrames.ask(plain.port(), "Origin: http://localhost")
                            .status())
                    .isEqualTo(101);
            assertThat(SocketFrames.ask(plain.port(), "Origin: http://localhost:81")
                            .status())
                    .isEqualTo(403);
            assertThat(SocketFrames.ask(plain.port(), "Origin: null").status()).isEqualTo(403);
            plain.reload("AllowedOrigins=*");
            Await.until(
                    "the reload reached every lane",
                    () -> SocketFrames.ask(plain.port(), "Origin: http://localhost:81")
                                    .status()
                            == 101);
        }
    }

    @Test
    void aTokenChangeClosesPublishersAndKeepsReaders() {
        try (TestServer plain = TestServer.start("EntitlementAllowToken=first-token", "PingInterval=4s");
                TestClient publisher = TestClient.open(plain, WireEncoding.JSON, "Authorization: Bearer first-token");
                TestClient reader = TestClient.open(plain, WireEncoding.JSON)) {
            publisher.publish("/a", "x");
            reader.subscribe("/a");
            plain.reload("EntitlementAllowToken=second-token");
            Event.Closed closed = publisher.expect(Event.Closed.class);
            assertThat(closed.code()).isEqualTo(1008);
            assertThat(closed.reason()).startsWith("unauthorized");
            reader.connect("second-token");
            reader.expect(Event.Connected.class);
            reader.publish("/a", "y");
        }
    }

    @Test
    void aTokenMayBeReadFromAFile() {
        try (TestServer plain = TestServer.start("EntitlementAllowTokenFile=" + Jwts.file("token-of-a-file\n"))) {
            assertThat(SocketFrames.ask(plain.port(), "Authorization: Bearer token-of-a-file")
                            .status())
                    .isEqualTo(101);
            assertThat(SocketFrames.ask(plain.port(), "Authorization: Bearer token-of-a-fool")
                            .status())
                    .isEqualTo(401);
        }
    }

    @Test
    void aNewTokenIsValidAfterTheReload() {
        try (TestServer plain = TestServer.start("EntitlementAllowToken=first-token")) {
            plain.reload("EntitlementAllowToken=second-token");
            Await.until(
                    "the reload reached every lane",
                    () -> SocketFrames.ask(plain.port(), "Authorization: Bearer first-token")
                                    .status()
                            == 401);
            try (TestClient client = TestClient.open(plain, WireEncoding.JSON, "Authorization: Bearer second-token")) {
                assertThat(client.publish("/a", "x").seq()).isPositive();
            }
        }
    }
}
