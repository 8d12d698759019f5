package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests a page in Chromium that uses the browser's WebSocket and EventSource without a library. */
@Tag("slow")
final class BrowserTest {
    @Test
    void aPageUsesWebSocketAndItsEventSourceRecovers() throws IOException {
        try (TestServer server =
                        TestServer.start("DocumentRoot=" + TestMachine.module().resolve("src/test/page"));
                CuttingProxy network = new CuttingProxy(server.port());
                TestClient test = TestClient.open(server, WireEncoding.JSON);
                TestClient publisher = TestClient.open(server, WireEncoding.JSON)) {
            test.subscribe("/browser/result/**");
            try (Tool browser = Chromium.open("http://127.0.0.1:" + network.port() + "/")) {
                assertSocketWorks(test, "");
                publisher.publish("/browser/events", "one");
                publisher.publish("/browser/other", "two");
                publisher.publish("/browser/events", "pause");
                assertThat(result(test, "paused")).hasSize(3);

                assertThat(network.cut(sent -> sent.contains("GET /subscribe?")))
                        .isEqualTo(1);
                publisher.publish("/browser/events", "while away");
                publisher.publish("/browser/other", "while away too");
                Await.until("the browser reconnects", () -> network.heard("Last-Event-ID: "));
                publisher.publish("/browser/events", "end");
                publisher.publish("/browser/other", "other end");

                JsonNode events = result(test, "events");
                assertThat(events.path("opened").asInt()).isEqualTo(2);
                assertThat(events.path("seen"))
                        .extracting(JsonNode::asText)
                        .containsOnlyOnce("one", "two", "pause", "while away", "while away too", "end", "other end")
                        .hasSize(7);
                assertThat(browser.isRunning()).isTrue();

                server.drain(100);
                assertThat(test.await(Event.Reconnect.class).reason()).isEqualTo("drain");
            }
        }
    }

    @Test
    void aPageCompressesWhereTheServerDoes() throws IOException {
        try (TestServer server = TestServer.start(
                        "Compression=on",
                        "Compression.MinBytes=1",
                        "DocumentRoot=" + TestMachine.module().resolve("src/test/page"));
                TestClient test = TestClient.open(server, WireEncoding.JSON)) {
            test.subscribe("/browser/result/**");
            try (Tool browser = Chromium.open("http://127.0.0.1:" + server.port() + "/")) {
                assertSocketWorks(test, "permessage-deflate; server_no_context_takeover; client_no_context_takeover");
                assertThat(browser.isRunning()).isTrue();
            }
        }
    }

    /** The page opens both connections at the same time, so its results arrive in either order. */
    private static void assertSocketWorks(TestClient test, String extensions) {
        boolean socket = false;
        boolean subscribed = false;
        while (!socket || !subscribed) {
            Event.Message message = test.expect(Event.Message.class);
            JsonNode value = Http.json(message.data());
            switch (message.subject()) {
                case "/browser/result/socket" -> {
                    assertThat(value.path("protocol").asText()).isEqualTo("belfry.json.v1");
                    assertThat(value.path("extensions").asText()).isEqualTo(extensions);
                    assertThat(value.path("data").asText()).isEqualTo("from the page: ü 🔔");
                    socket = true;
                }
                case "/browser/result/subscribed" -> {
                    assertThat(value.path("op").asText()).isEqualTo("subscribed");
                    subscribed = true;
                }
                default -> throw new AssertionError(message.toString());
            }
        }
    }

    /** Returns the next result, which must have this name. */
    private static JsonNode result(TestClient test, String name) {
        Event.Message message = test.expect(Event.Message.class);
        assertThat(message.subject()).as(message.data()).isEqualTo("/browser/result/" + name);
        return Http.json(message.data());
    }
}
