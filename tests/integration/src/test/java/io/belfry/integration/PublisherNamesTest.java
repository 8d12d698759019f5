package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.client.BelfryClient;
import io.belfry.client.Encoding;
import io.belfry.client.Message;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.PublishTerms;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that messages have the name of their publisher where the options of their subject ask for it, and nowhere else. */
final class PublisherNamesTest {
    private static final String ALL = "{\"all\":[\"/**\"]}";

    private static TestServer server(String... more) {
        String[] settings = new String[more.length + 3];
        settings[0] = "Entitlement=JWT";
        settings[1] = "Jwt.Secret=" + Jwts.SECRET;
        settings[2] = "Subjects.10=/named/** publisher=yes";
        System.arraycopy(more, 0, settings, 3, more.length);
        return TestServer.start(settings);
    }

    private static String bearer(String user) {
        return "Authorization: Bearer " + token(user);
    }

    private static String token(String user) {
        String sub = user.isEmpty() ? "" : "\"sub\":\"" + user + "\",";
        return Jwts.hs256("{" + sub + Jwts.claims(60, ALL).substring(1));
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void aMessageHasTheNameOfItsPublisherBeforeItsHeaders(WireEncoding encoding) {
        try (TestServer server = server();
                TestClient ann = TestClient.open(server, encoding, bearer("änn"));
                TestClient nobody = TestClient.open(server, encoding, bearer(""))) {
            for (String subject : new String[] {"/named/a", "/other"}) {
                ann.subscribe(subject);
            }
            PublishTerms terms = new PublishTerms(true, null, Map.of("k", "v"));
            nobody.publish("/named/a", "0", terms);
            assertThat(ann.expect(Event.Message.class).headers()).isEqualTo(Map.of("k", "v"));
            try (TestClient other = TestClient.open(server, encoding, bearer("bob"))) {
                other.publish("/named/a", "1", terms);
                other.publish("/other", "2", terms);
            }
            assertThat(ann.expect(Event.Message.class).headers().entrySet().toString())
                    .isEqualTo("[$publisher=bob, k=v]");
            assertThat(ann.expect(Event.Message.class).headers()).isEqualTo(Map.of("k", "v"));
            try (TestClient second = TestClient.open(server, encoding, bearer("änn"))) {
                second.publish("/named/a", "3");
            }
            Event.Message own = ann.expect(Event.Message.class);
            assertThat(own.headers()).isEqualTo(Map.of(MessageHeaders.PUBLISHER, "änn"));
            ann.unsubscribe("/named/a");
            ann.subscribe("/named/a");
            assertThat(ann.expect(Event.Message.class).headers())
                    .as("of the retained message")
                    .containsEntry(MessageHeaders.PUBLISHER, "bob");
        }
    }

    @Test
    void aClientCannotForgeTheName() {
        try (TestServer server = server();
                TestClient client = TestClient.open(server, WireEncoding.JSON, bearer("eve"));
                Http http = Http.to(server.port())) {
            client.sendRaw(
                    TestClient.bytes(
                            "{\"op\":\"publish\",\"id\":1,\"subject\":\"/other\",\"data\":\"x\",\"headers\":{\"$publisher\":\"ann\"}}"));
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("bad-headers");
            Http.Answer answer = http.post("/publish?subject=/other&header=$publisher=ann", "x", bearer("eve"));
            assertThat(answer.status()).isEqualTo(400);
            client.sendRaw(TestClient.bytes(
                    "{\"op\":\"publish\",\"id\":2,\"subject\":\"/named/a\",\"data\":\"x\",\"publisher\":\"ann\"}"));
            client.expect(Event.Published.class);
            JsonNode messages =
                    http.get("/history?subject=/named/a", bearer("eve")).json().path("messages");
            assertThat(messages.get(0).path("headers").path("$publisher").asText())
                    .isEqualTo("eve");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "disk"})
    void theNameIsInTheHistoryAndFollowsAReload(String history) throws Exception {
        String folder = java.nio.file.Files.createTempDirectory(TestMachine.target(), "names")
                .toString();
        try (TestServer server = server("History=" + history, "History.Folder=" + folder);
                Http http = Http.to(server.port())) {
            assertThat(http.post("/publish?subject=/named/a", "x", bearer("ann"))
                            .status())
                    .isEqualTo(200);
            server.reload("Subjects.10=/named/** publisher=no");
            // Each event loop applies the reload in a task of its own.
            Await.until("a message has no name", () -> {
                http.post("/publish?subject=/named/a", "y", bearer("ann"));
                JsonNode messages = named(http);
                return !messages.get(messages.size() - 1).has("headers");
            });
            assertThat(named(http).get(0).path("headers").path("$publisher").asText())
                    .isEqualTo("ann");
        }
    }

    private static JsonNode named(Http http) {
        return http.get("/history?subject=/named/a", bearer("ann")).json().path("messages");
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void theJavaClientHasTheName(Encoding encoding) throws Exception {
        BlockingQueue<Message> received = new LinkedBlockingQueue<>();
        try (TestServer server = server();
                BelfryClient client = BelfryClient.builder()
                        .server("ws://127.0.0.1:" + server.port())
                        .encoding(encoding)
                        .token(token("ann"))
                        .build()) {
            client.start();
            client.subscribe("/named/a", received::add);
            client.publish("/named/a", new byte[] {1}).get(10, TimeUnit.SECONDS);
            Message message = received.poll(10, TimeUnit.SECONDS);
            assertThat(message).isNotNull();
            assertThat(message.publisher()).isEqualTo("ann");
        }
    }
}
