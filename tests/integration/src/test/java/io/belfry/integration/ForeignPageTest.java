package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests which actions the browser and the server allow to a page of another origin in Chromium. */
@Tag("slow")
final class ForeignPageTest {
    private static final int WAIT_SECONDS = 60;

    @Test
    void aPageOfAnotherOriginIsRefusedUntilItIsAllowed() throws Exception {
        try (TestServer server = TestServer.start("EntitlementAllowToken=a-token-of-tests");
                TestClient reader = TestClient.open(server, WireEncoding.JSON);
                Site site = new Site()) {
            reader.subscribe("/foreign/**");
            JsonNode stranger = site.visit(server.port());
            assertThat(stranger.path("socket").asText()).isEqualTo("closed");
            assertThat(stranger.path("events").asText()).isEqualTo("closed");
            for (String way : new String[] {"history", "poll", "publish", "simplePublish", "lines"}) {
                assertThat(stranger.path(way).asText()).as(way).startsWith("TypeError");
            }
            reader.ping(1);
            assertThat(reader.next()).as("no message before the pong").isEqualTo(new Event.Pong(1));

            server.reload("AllowedOrigins=" + site.origin());
            Await.until(
                    "the reload",
                    () -> SocketFrames.ask(server.port(), "Origin: " + site.origin())
                                    .status()
                            == 101);
            JsonNode guest = site.visit(server.port());
            assertThat(guest.path("socket").asText()).isEqualTo("open");
            assertThat(guest.path("events").asText()).isEqualTo("open");
            for (String way : new String[] {"history", "poll", "publish", "lines"}) {
                assertThat(guest.path(way).asText()).as(way).isEqualTo("200");
            }
            assertThat(guest.path("simplePublish").asText())
                    .as("without a token")
                    .isEqualTo("403");
            assertThat(reader.data(1)).containsExactly("from the page");
        }
    }

    /** Another origin, which serves the page and receives the page's report. */
    private static final class Site implements AutoCloseable {
        private final HttpServer http;
        private final BlockingQueue<JsonNode> reports = new LinkedBlockingQueue<>();

        Site() throws IOException {
            http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            http.createContext("/", this::answer);
            http.start();
        }

        String origin() {
            return "http://127.0.0.1:" + http.getAddress().getPort();
        }

        /** Opens the page in the browser and returns the results that the page reports. */
        JsonNode visit(int port) throws IOException, InterruptedException {
            try (Tool browser = Chromium.open(origin() + "/?" + port)) {
                JsonNode report = reports.poll(WAIT_SECONDS, TimeUnit.SECONDS);
                assertThat(report)
                        .as("report of the page; browser running: " + browser.isRunning())
                        .isNotNull();
                return report;
            }
        }

        private void answer(HttpExchange exchange) throws IOException {
            try (exchange) {
                if (exchange.getRequestMethod().equals("POST")) {
                    byte[] report = exchange.getRequestBody().readAllBytes();
                    reports.add(Http.json(new String(report, StandardCharsets.UTF_8)));
                    exchange.sendResponseHeaders(204, -1);
                } else {
                    byte[] page = Files.readAllBytes(TestMachine.module().resolve("src/test/foreign/index.html"));
                    exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
                    exchange.sendResponseHeaders(200, page.length);
                    exchange.getResponseBody().write(page);
                }
            }
        }

        @Override
        public void close() {
            http.stop(0);
        }
    }
}
