package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A page in Chromium: WebSocket and EventSource as every browser has them, with nothing of ours around them. */
@Tag("slow")
final class BrowserTest {
    @Test
    void aPageTalksOverWebSocketAndItsEventSourceRecoversByItself() throws IOException {
        try (ServerProcess server =
                        ServerProcess.start("DocumentRoot=" + Machine.module().resolve("src/test/page"));
                CuttingProxy network = new CuttingProxy(server.port());
                Client test = Client.open(server, Encoding.JSON);
                Client publisher = Client.open(server, Encoding.JSON)) {
            test.subscribe("/browser/result/**");
            try (Tool browser = Chromium.open("http://127.0.0.1:" + network.port() + "/")) {
                assertSocketWorks(test, "");
                publisher.publish("/browser/events", "one");
                publisher.publish("/browser/other", "two");
                publisher.publish("/browser/events", "pause");
                assertThat(result(test, "paused")).hasSize(3);

                assertThat(network.cut(said -> said.contains("GET /subscribe?")))
                        .isEqualTo(1);
                publisher.publish("/browser/events", "while away");
                publisher.publish("/browser/other", "while away too");
                Await.until("the browser comes back", () -> network.heard("Last-Event-ID: "));
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
    void aPageTalksCompressedWhereTheServerDoes() throws IOException {
        try (ServerProcess server = ServerProcess.start(
                        "Compression=on",
                        "Compression.MinBytes=1",
                        "DocumentRoot=" + Machine.module().resolve("src/test/page"));
                Client test = Client.open(server, Encoding.JSON)) {
            test.subscribe("/browser/result/**");
            try (Tool browser = Chromium.open("http://127.0.0.1:" + server.port() + "/")) {
                assertSocketWorks(test, "permessage-deflate; server_no_context_takeover; client_no_context_takeover");
                assertThat(browser.isRunning()).isTrue();
            }
        }
    }

    /** The page opens both at the same time: what it says of them comes in either order. */
    private static void assertSocketWorks(Client test, String extensions) {
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

    /** The next result, which has this name. */
    private static JsonNode result(Client test, String name) {
        Event.Message message = test.expect(Event.Message.class);
        assertThat(message.subject()).as(message.data()).isEqualTo("/browser/result/" + name);
        return Http.json(message.data());
    }
}
