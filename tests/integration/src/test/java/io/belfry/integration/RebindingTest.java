package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests DNS rebinding: a page whose owner lets its name resolve to this machine has the server's own origin in the
 * browser. Such a page must not get the permissions of clients on loopback.
 */
final class RebindingTest {
    private static final String PAGE = "rebound.example";

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start("Workgroups=1", "IoThreads=1");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Sends the request of a browser that resolved the page's name to 127.0.0.1. */
    private static Http.Answer publish(TestServer server, String... headers) {
        try (Http http = Http.to(server.port())) {
            return http.post("/publish?subject=/rebound", "x", headers);
        }
    }

    private static Http.Answer publishAsPageOf(String authority) {
        return publish(server, "Host: " + authority, "Origin: http://" + authority);
    }

    private static TestClient sessionOfPageOf(String host) {
        String authority = host + ":" + server.port();
        return TestClient.open(server, WireEncoding.JSON, "Host: " + authority, "Origin: http://" + authority);
    }

    @Test
    void aReboundPageMayNotPublish() {
        Http.Answer answer = publishAsPageOf(PAGE + ":" + server.port());
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.code()).isEqualTo("publish-denied");
        assertThat(answer.json().path("reason").asText()).contains("EntitlementAllowToken", "127.0.0.1");
        assertThat(publish(server, "Host: " + PAGE).status())
                .as("without an Origin header")
                .isEqualTo(403);
        for (String near : List.of("localhost." + PAGE, "127.0.0.1." + PAGE, "127.0.0.1x", "0x7f.1", "[::2]")) {
            assertThat(publishAsPageOf(near).status()).as(near).isEqualTo(403);
        }
    }

    @Test
    void clientsThatUseLocalNamesMayPublish() {
        for (String host : List.of("127.0.0.1", "LOCALHOST", "[::1]", "127.0.0.9")) {
            assertThat(publishAsPageOf(host).status()).as(host).isEqualTo(200);
            assertThat(publishAsPageOf(host + ":" + server.port()).status())
                    .as(host)
                    .isEqualTo(200);
        }
    }

    @Test
    void anAbsoluteTargetDoesNotMakeAPageLocal() {
        for (String name : List.of("127.0.0.1", "localhost")) {
            assertThat(publishTo("http://" + name, "Host: " + PAGE).status())
                    .as("page name only in the Host field")
                    .isEqualTo(403);
            assertThat(publishTo("http://" + PAGE, "Host: " + name).status())
                    .as("page name only in the target")
                    .isEqualTo(403);
            assertThat(publishTo("http://" + PAGE, "Host: " + name, "Origin: http://" + PAGE)
                            .status())
                    .isEqualTo(403);
            assertThat(publishTo("http://" + name, "Host: " + name).status()).isEqualTo(200);
        }
    }

    private static Http.Answer publishTo(String origin, String... headers) {
        try (Http http = Http.to(server.port())) {
            return http.post(origin + "/publish?subject=/rebound", "x", headers);
        }
    }

    @Test
    void aSessionOfAReboundPageMayOnlyRead() {
        try (TestClient page = sessionOfPageOf(PAGE);
                TestClient own = sessionOfPageOf("127.0.0.1")) {
            page.subscribe("/rebound/read");
            own.publish("/rebound/read", "x");
            assertThat(page.data(1)).containsExactly("x");
            page.send("/rebound/read", "y");
            assertThat(page.expect(Event.Failed.class).code()).isEqualTo("publish-denied");
            page.connect("a-token-of-nobody");
            page.expect(Event.Connected.class);
            page.send("/rebound/read", "y");
            assertThat(page.expect(Event.Failed.class).code()).isEqualTo("publish-denied");
        }
    }

    @Test
    void anAllowedPageMayPublishUnderAnyName() {
        String origin = "Origin: http://" + PAGE;
        try (TestServer naming = TestServer.start("AllowedOrigins=http://" + PAGE)) {
            assertThat(publish(naming, "Host: " + PAGE, origin).status()).isEqualTo(200);
            assertThat(publish(naming, "Host: " + PAGE).status())
                    .as("status without an Origin header")
                    .isEqualTo(403);
        }
    }
}
