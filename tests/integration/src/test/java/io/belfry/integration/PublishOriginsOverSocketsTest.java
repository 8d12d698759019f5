package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.PublishOrigins;
import io.belfry.protocol.PublishTerms;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that messages published with the key of an origin have its tag: over WebSocket, over HTTP, and after a restart. */
final class PublishOriginsOverSocketsTest {
    private static final String KEY = "0123456789012345678901";
    private static final String TAG = PublishOrigins.of(KEY);

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void aMessageHasTheTagOfItsKey(WireEncoding encoding) {
        try (TestServer server = TestServer.start();
                TestClient client = TestClient.open(server, encoding);
                TestClient publisher = TestClient.open(server, encoding);
                Http http = Http.to(server.port())) {
            client.subscribe("/a");
            publisher.publish("/a", "1", new PublishTerms(false, null, Map.of("k", "v"), 60_000, KEY));
            assertThat(client.expect(Event.Message.class).headers().toString())
                    .isEqualTo("{$ttl=60000, $origin=" + TAG + ", k=v}");
            publisher.publish("/a", "2");
            assertThat(client.expect(Event.Message.class).headers()).isEmpty();
            assertThat(http.post("/publish?subject=/a&origin=" + KEY, "3").status())
                    .isEqualTo(200);
            assertThat(client.expect(Event.Message.class).headers()).isEqualTo(Map.of("$origin", TAG));
        }
    }

    @Test
    void aTagIsNoKey() {
        try (TestServer server = TestServer.start();
                TestClient client = TestClient.open(server, WireEncoding.JSON);
                Http http = Http.to(server.port())) {
            for (String forged : new String[] {TAG, TAG + TAG + "!", "x".repeat(65)}) {
                Http.Answer answer = http.post("/publish?subject=/a&origin=" + forged, "x");
                assertThat(answer.status()).isEqualTo(400);
                assertThat(answer.json().path("reason").asText()).contains("22 to 64");
            }
            client.sendRaw(TestClient.bytes(
                    "{\"op\":\"publish\",\"id\":1,\"subject\":\"/a\",\"data\":\"x\",\"origin\":\"" + TAG + "\"}"));
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("bad-request");
            client.sendRaw(TestClient.bytes(
                    "{\"op\":\"publish\",\"id\":2,\"subject\":\"/a\",\"data\":\"x\",\"headers\":{\"$origin\":\"" + TAG
                            + "\"}}"));
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("bad-headers");
        }
    }

    @Test
    void theTagIsInTheHistoryOfADisk() throws Exception {
        String folder = java.nio.file.Files.createTempDirectory(TestMachine.target(), "origins")
                .toString();
        String[] settings = {"History=disk", "History.Folder=" + folder};
        try (TestServer server = TestServer.start(settings);
                Http http = Http.to(server.port())) {
            assertThat(http.post("/publish?subject=/a&origin=" + KEY + "&retain", "x")
                            .status())
                    .isEqualTo(200);
        }
        try (TestServer server = TestServer.start(settings);
                TestClient client = TestClient.open(server, WireEncoding.BINARY);
                Http http = Http.to(server.port())) {
            JsonNode messages = http.get("/history?subject=/a").json().path("messages");
            assertThat(messages.get(0).path("headers").path("$origin").asText()).isEqualTo(TAG);
            client.subscribe("/a");
            assertThat(client.expect(Event.Message.class).headers()).isEqualTo(Map.of("$origin", TAG));
        }
    }
}
