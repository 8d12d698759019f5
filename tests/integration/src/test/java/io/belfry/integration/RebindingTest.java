package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A page whose owner has its name point to this machine: to its browser it is of the server's own origin. What clients on
 * loopback may, it may not.
 */
final class RebindingTest {
    private static final String PAGE = "rebound.example";

    private static ServerProcess server;

    @BeforeAll
    static void start() {
        server = ServerProcess.start("Workgroups=1", "IoThreads=1");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** As a browser asks that has found the page's name to mean 127.0.0.1. */
    private static Http.Answer publish(ServerProcess server, String... headers) {
        try (Http http = Http.to(server.port())) {
            return http.post("/publish?subject=/rebound", "x", headers);
        }
    }

    private static Http.Answer publishAsPageOf(String authority) {
        return publish(server, "Host: " + authority, "Origin: http://" + authority);
    }

    private static Client sessionOfPageOf(String host) {
        String authority = host + ":" + server.port();
        return Client.open(server, Encoding.JSON, "Host: " + authority, "Origin: http://" + authority);
    }

    @Test
    void aPageThatHasItsNamePointHereDoesNotPublish() {
        Http.Answer answer = publishAsPageOf(PAGE + ":" + server.port());
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.code()).isEqualTo("publish-denied");
        assertThat(answer.json().path("reason").asText()).contains("EntitlementAllowToken", "127.0.0.1");
        assertThat(publish(server, "Host: " + PAGE).status())
                .as("without saying where it comes from")
                .isEqualTo(403);
        for (String near : List.of("localhost." + PAGE, "127.0.0.1." + PAGE, "127.0.0.1x", "0x7f.1", "[::2]")) {
            assertThat(publishAsPageOf(near).status()).as(near).isEqualTo(403);
        }
    }

    @Test
    void whoCallsTheMachineByItsOwnNamesPublishes() {
        for (String host : List.of("127.0.0.1", "LOCALHOST", "[::1]", "127.0.0.9")) {
            assertThat(publishAsPageOf(host).status()).as(host).isEqualTo(200);
            assertThat(publishAsPageOf(host + ":" + server.port()).status())
                    .as(host)
                    .isEqualTo(200);
        }
    }

    @Test
    void aSessionOfSuchAPageReadsAndDoesNotPublish() {
        try (Client page = sessionOfPageOf(PAGE);
                Client own = sessionOfPageOf("127.0.0.1")) {
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
    void aPageThatTheSettingNamesPublishesUnderAnyName() {
        String origin = "Origin: http://" + PAGE;
        try (ServerProcess naming = ServerProcess.start("AllowedOrigins=http://" + PAGE)) {
            assertThat(publish(naming, "Host: " + PAGE, origin).status()).isEqualTo(200);
            assertThat(publish(naming, "Host: " + PAGE).status())
                    .as("no page of that name")
                    .isEqualTo(403);
        }
    }
}
