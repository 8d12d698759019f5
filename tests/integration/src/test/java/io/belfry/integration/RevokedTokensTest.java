package io.belfry.integration;

import static io.belfry.integration.ApiCalls.assertRefused;
import static io.belfry.integration.ApiCalls.client;
import static io.belfry.integration.ApiCalls.post;
import static io.belfry.integration.ApiCalls.server;
import static io.belfry.integration.ApiCalls.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests that revoked tokens end their sessions and open no others. */
final class RevokedTokensTest {
    private static final long NOW = System.currentTimeMillis();
    private static final long LATER = NOW + 3_600_000;
    private static final String ISSUED = "\"iat\":" + (NOW / 1000 - 10) + ",";
    private static final String NEWER = "\"iat\":" + (NOW / 1000 + 60) + ",";

    private static void assertClosed(TestClient client) {
        Event.Closed closed = client.await(Event.Closed.class);
        assertThat(closed.code()).isEqualTo(4012);
        assertThat(closed.reason()).startsWith("token-revoked");
    }

    private static void assertWorks(TestClient client) {
        client.subscribe("/a");
        client.publish("/a", "x");
        assertThat(client.data(1)).containsExactly("x");
        client.unsubscribe("/a");
    }

    private static Http.Answer opened(ServerInJvm server, String token) {
        try (Http http = Http.to(server.port())) {
            return http.get("/history?subject=/a", "Authorization: Bearer " + token);
        }
    }

    @Test
    void aUsersTokensIssuedUntilNowAreRevoked() {
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort());
                TestClient json = client(server, token("ada", ISSUED), WireEncoding.JSON);
                TestClient binary = client(server, token("ada", ""), WireEncoding.BINARY);
                TestClient newer = client(server, token("ada", NEWER), WireEncoding.JSON);
                TestClient bob = client(server, token("bob", ISSUED), WireEncoding.JSON)) {
            assertWorks(json);
            assertWorks(binary);
            JsonNode done = post(api, "/v1/revoke", "{\"user\":\"ada\",\"until\":" + LATER + "}")
                    .json();
            assertThat(done.path("disconnected").asInt()).isEqualTo(2);
            assertThat(done.path("revocations").asInt()).isEqualTo(1);
            assertClosed(json);
            assertClosed(binary);
            assertWorks(newer);
            assertWorks(bob);
            assertRefused(opened(server, token("ada", ISSUED)), Code.TOKEN_REVOKED);
            assertThat(opened(server, token("ada", NEWER)).status()).isEqualTo(200);
            Await.until(
                    "the level is counted",
                    () -> server.stats().at("/counters/revocations").asLong() == 1);
            assertThat(server.logText()).contains("server API: revoke by key all");
            post(api, "/v1/revoke", "{\"user\":\"ada\",\"until\":0}");
            assertThat(opened(server, token("ada", ISSUED)).status())
                    .as("the revocation was removed")
                    .isEqualTo(200);
        }
    }

    @Test
    void oneTokenIsRevokedByItsId() {
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort());
                TestClient one = client(server, token("ada", "\"jti\":\"one\","), WireEncoding.BINARY);
                TestClient two = client(server, token("ada", "\"jti\":\"two\","), WireEncoding.JSON)) {
            assertWorks(one);
            assertThat(post(api, "/v1/revoke", "{\"jti\":\"one\",\"until\":" + LATER + "}")
                            .json()
                            .path("disconnected")
                            .asInt())
                    .isEqualTo(1);
            assertClosed(one);
            assertWorks(two);
            assertRefused(opened(server, token("bob", "\"jti\":\"one\",")), Code.TOKEN_REVOKED);
        }
    }

    @Test
    void allTokensIssuedBeforeATimeAreRevoked() {
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort());
                TestClient old = client(server, token("ada", ISSUED), WireEncoding.JSON);
                TestClient newer = client(server, token("bob", NEWER), WireEncoding.JSON)) {
            assertWorks(old);
            post(api, "/v1/revoke", "{\"issuedBefore\":" + NOW + ",\"until\":" + LATER + "}");
            assertClosed(old);
            assertWorks(newer);
            assertRefused(opened(server, token("eve", ISSUED)), Code.TOKEN_REVOKED);
        }
    }

    @Test
    void aTokenThatASessionSendsLaterIsRefused() {
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort());
                TestClient client = client(server, token("bob", NEWER), WireEncoding.JSON)) {
            post(api, "/v1/revoke", "{\"user\":\"ada\",\"until\":" + LATER + "}");
            client.connect(token("ada", ISSUED));
            assertThat(client.await(Event.Failed.class).code()).isEqualTo("token-revoked");
            assertClosed(client);
        }
    }

    @Test
    void aFullListAndAMalformedCallRevokeNothing() {
        try (ServerInJvm server = server("Api.Revocations=2");
                Http api = Http.to(server.apiPort())) {
            String until = "\"until\":" + LATER + "}";
            assertThat(post(api, "/v1/revoke", "{\"user\":\"u1\"," + until).status())
                    .isEqualTo(200);
            assertThat(post(api, "/v1/revoke", "{\"jti\":\"t1\"," + until).status())
                    .isEqualTo(200);
            assertRefused(post(api, "/v1/revoke", "{\"user\":\"u2\"," + until), Code.REVOCATIONS_FULL);
            assertThat(post(api, "/v1/revoke", "{\"user\":\"u1\"," + until).status())
                    .as("an entry is replaced")
                    .isEqualTo(200);
            assertThat(opened(server, token("u2", ISSUED)).status()).isEqualTo(200);
            for (String wrong : new String[] {
                "{\"user\":\"u2\"}",
                "{" + until,
                "{\"user\":\"a\",\"jti\":\"b\"," + until,
                "{\"jti\":\"b\",\"issuedBefore\":1," + until,
                "{\"user\":\"a\\u0001\"," + until,
                "{\"user\":\"a\",\"until\":-1}",
                "{\"user\":\"a\",\"until\":\"tomorrow\"}"
            }) {
                assertRefused(post(api, "/v1/revoke", wrong), Code.BAD_REQUEST);
            }
        }
        try (ServerInJvm server = server("Entitlement=None");
                Http api = Http.to(server.apiPort())) {
            assertRefused(post(api, "/v1/revoke", "{\"user\":\"a\",\"until\":1}"), Code.UNSUPPORTED);
        }
    }

    @Test
    void aFileKeepsRevocationsOverARestart() throws IOException {
        Path file = Files.createTempDirectory(TestMachine.target(), "revoked").resolve("revoked");
        String key = "Api.RevocationFile=" + file;
        try (ServerInJvm server = server(key);
                Http api = Http.to(server.apiPort())) {
            post(api, "/v1/revoke", "{\"user\":\"ada lovelace\",\"until\":" + LATER + "}");
            post(api, "/v1/revoke", "{\"jti\":\"one\",\"until\":" + LATER + "}");
        }
        try (ServerInJvm server = server(key)) {
            assertRefused(opened(server, token("ada lovelace", ISSUED)), Code.TOKEN_REVOKED);
            assertRefused(opened(server, token("bob", "\"jti\":\"one\",")), Code.TOKEN_REVOKED);
            assertThat(opened(server, token("bob", ISSUED)).status()).isEqualTo(200);
        }
        Files.writeString(file, "user 1 2\n");
        assertThatThrownBy(() -> server(key))
                .hasMessageContaining("Api.RevocationFile")
                .hasMessageContaining("line 1");
    }
}
