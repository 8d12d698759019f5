package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.client.BelfryClient;
import io.belfry.client.Encoding;
import io.belfry.client.Message;
import io.belfry.client.PublishOptions;
import io.belfry.client.SubscribeOptions;
import io.belfry.client.Transport;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishTerms;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests headers of messages over WebSocket and HTTP, in memory and on disk. */
final class HeadersOverSocketsTest {
    private static final Map<String, String> HEADERS = headers();
    private static final PublishTerms TERMS = new PublishTerms(true, null, HEADERS);

    private static Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("type", "order");
        headers.put("größe", "\"日本\" a=b&c");
        headers.put("empty", "");
        return headers;
    }

    private static String parameters(Map<String, String> headers) {
        StringBuilder query = new StringBuilder();
        headers.forEach((name, value) ->
                query.append("&header=").append(URLEncoder.encode(name + "=" + value, StandardCharsets.UTF_8)));
        return query.toString();
    }

    private static Map<String, String> headersOf(JsonNode json) {
        return ((Event.Message) JsonEvents.event(json)).headers();
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void headersOfAPublishReachEveryTransport(WireEncoding encoding) {
        try (TestServer server = TestServer.start("CacheSize=100");
                TestClient publisher = TestClient.open(server, encoding);
                Http events = Http.to(server.port());
                Http lines = Http.to(server.port())) {
            events.stream("/subscribe?subject=/a&subject=/b");
            lines.stream("/subscribe?subject=/a", "Accept: application/x-ndjson");
            Http.LineSource event = events.lines();
            Http.LineSource line = lines.lines();
            assertThat(line.next()).contains("subscribed");
            List<TestClient> followers =
                    List.of(TestClient.open(server, WireEncoding.JSON), TestClient.open(server, WireEncoding.BINARY));
            followers.forEach(each -> each.subscribe("/a"));
            Position at = publisher.publish("/a", "x", TERMS);
            followers.forEach(each ->
                    assertThat(each.expect(Event.Message.class).headers()).isEqualTo(HEADERS));
            assertThat(headersOf(Http.json(line.next()))).isEqualTo(HEADERS);
            assertThat(headersOf(Http.json(messageOf(event)))).isEqualTo(HEADERS);
            assertReadable(server, at);
            followers.forEach(TestClient::close);
        }
    }

    private static String messageOf(Http.LineSource lines) {
        for (String line = lines.next(); ; line = lines.next()) {
            if (line.startsWith("data: ") && line.contains("\"message\"")) {
                return line.substring(6);
            }
        }
    }

    private static void assertReadable(TestServer server, Position at) {
        try (Http http = Http.to(server.port());
                TestClient late = TestClient.open(server, WireEncoding.BINARY)) {
            JsonNode history = http.get("/history?subject=/a").json().path("messages");
            assertThat(headersOf(history.get(history.size() - 1))).isEqualTo(HEADERS);
            String from = at.epoch() + ":" + (at.seq() - 1);
            JsonNode poll = http.get("/poll?wait=1s&subject=/a&from=" + from).json();
            assertThat(headersOf(poll.path("messages").get(0))).isEqualTo(HEADERS);
            late.subscribe("/a");
            assertThat(late.expect(Event.Message.class).headers())
                    .as("snapshot")
                    .isEqualTo(HEADERS);
        }
    }

    @Test
    void aPublishOverHttpHasTheHeadersOfItsParameters() {
        try (TestServer server = TestServer.start("CacheSize=100");
                Http http = Http.to(server.port())) {
            Http.Answer answer = http.post("/publish?retain&msgId=m-1&subject=/a" + parameters(HEADERS), "x");
            assertThat(answer.status()).isEqualTo(200);
            assertReadable(
                    server,
                    new Position(
                            answer.json().path("epoch").asLong(),
                            answer.json().path("seq").asLong()));
        }
    }

    @Test
    void badHeadersOverHttpAreRefusedAndNothingIsPublished() {
        try (TestServer server = TestServer.start("CacheSize=100", "Limit.Headers=4", "Limit.HeaderBytes=100");
                Http http = Http.to(server.port())) {
            for (String query : List.of(
                    "&header=noequals",
                    "&header==value",
                    "&header=$user=forged",
                    "&header=a=1&header=a=2",
                    "&header=" + "n".repeat(65) + "=x",
                    "&header=a%01=x",
                    "&header=a=" + "v".repeat(97),
                    "&header=a=" + "&header=b=" + "&header=c=" + "&header=d=" + "&header=e=",
                    "&header=a=".repeat(17))) {
                Http.Answer answer = http.post("/publish?subject=/a" + query, "x");
                assertThat(answer.status()).as(query).isEqualTo(400);
                assertThat(answer.code()).as(query).isEqualTo("bad-headers");
            }
            assertThat(http.get("/history?subject=/a").json().path("messages")).isEmpty();
            assertThat(http.post("/publish?subject=/a&header=a=" + "v".repeat(96), "x")
                            .status())
                    .isEqualTo(200);
            assertThat(http.post("/publish?subject=/a&msgId=a&msgId=b", "x").code())
                    .as("other parameters")
                    .isEqualTo("bad-request");
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void theJavaClientSendsAndReceivesHeaders(Transport transport) throws InterruptedException {
        try (TestServer server = TestServer.start("CacheSize=100")) {
            for (Encoding encoding : Encoding.values()) {
                BlockingQueue<Message> received = new LinkedBlockingQueue<>();
                try (BelfryClient client = BelfryClient.builder()
                        .server("ws://127.0.0.1:" + server.port())
                        .transport(transport)
                        .encoding(encoding)
                        .build()) {
                    client.start();
                    client.publish("/a", new byte[] {'x'}, PublishOptions.headers(HEADERS))
                            .join();
                    client.publish("/a", "plain").join();
                    client.subscribe("/a", received::add, SubscribeOptions.history(2));
                    Message first = received.poll(10, TimeUnit.SECONDS);
                    assertThat(first).isNotNull();
                    assertThat(List.copyOf(first.headers().entrySet())).isEqualTo(List.copyOf(HEADERS.entrySet()));
                    assertThat(first.header("type")).isEqualTo("order");
                    Message second = received.poll(10, TimeUnit.SECONDS);
                    assertThat(second).isNotNull();
                    assertThat(second.headers()).isEmpty();
                }
            }
        }
    }

    @Test
    void theJavaClientRefusesInvalidHeadersAtOnce() {
        for (Map<String, String> invalid : List.of(
                Map.of("", "x"), Map.of("$user", "x"), Map.of("n".repeat(65), "x"), Map.of("a", "v".repeat(70_000)))) {
            assertThatThrownBy(() -> PublishOptions.headers(invalid)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Workgroups=2", "Workgroups=1"})
    void headersOnDiskSurviveARestartAndAChangeOfTheWorkgroups(String workgroups) throws IOException {
        Path folder = Files.createTempDirectory(TestMachine.target(), "headers");
        String[] settings = {"History=disk", "History.Folder=" + folder, "CacheSize=100", "Workgroups=2"};
        try (TestServer server = TestServer.start(settings);
                TestClient publisher = TestClient.open(server, WireEncoding.BINARY)) {
            publisher.publish("/plain", "without");
            publisher.publish("/a", "x", TERMS);
        }
        settings[3] = workgroups;
        try (TestServer server = TestServer.start(settings);
                Http http = Http.to(server.port())) {
            JsonNode last = http.get("/history?subject=/a").json().path("messages");
            JsonNode message = last.get(last.size() - 1);
            assertReadable(
                    server,
                    new Position(
                            message.path("epoch").asLong(), message.path("seq").asLong()));
            JsonNode plain = http.get("/history?subject=/plain").json().path("messages");
            assertThat(plain.get(0).has("headers")).isFalse();
            assertThat(plain.get(0).path("data").asText()).isEqualTo("without");
        }
    }
}
