package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.Code;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the server API over sockets, beside clients. */
final class ServerApiTest {
    private static final String ALL = "Authorization: Bearer 0123456789abcdef0123456789abcdef";
    private static final String READ = "Authorization: Bearer 11111111111111111111111111111111";
    private static final String PUBLISH = "Authorization: Bearer 22222222222222222222222222222222";
    private static final String JSON = "Content-Type: application/json";
    private static final String LINES = "Content-Type: application/x-ndjson";
    private static final String NEW_KEY = "33333333333333333333333333333333";

    private static Path keys() {
        try {
            Path file = Files.createTempFile(TestMachine.target(), "api", ".keys");
            Files.writeString(file, """
                    all publish,read,act 0123456789abcdef0123456789abcdef
                    reader read 11111111111111111111111111111111
                    publisher publish 22222222222222222222222222222222
                    """);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ServerInJvm server(Path keys, String... more) {
        return ServerInJvm.start(Stream.concat(
                        Stream.of(
                                "Api.Listen=127.0.0.1:0",
                                "Api.KeyFile=" + keys,
                                "Entitlement=JWT",
                                "Jwt.Secret=" + Jwts.SECRET,
                                "Monitor=HTTP",
                                "MonitorHTTP.Listen=127.0.0.1:0",
                                "MonitorHTTP.Authentication=false"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    private static ServerInJvm server(String... more) {
        return server(keys(), more);
    }

    private static TestClient client(ServerInJvm server, String user, WireEncoding encoding) {
        String claims = "{\"sub\":\"" + user + "\","
                + Jwts.claims(60, "{\"all\":[\"/**\"]}").substring(1);
        return TestClient.open(server, encoding, "Authorization: Bearer " + Jwts.hs256(claims));
    }

    private static void assertRefused(Http.Answer answer, Code code) {
        assertThat(answer.code()).as(answer.body()).isEqualTo(code.text());
        assertThat(answer.status()).isEqualTo(code.httpStatus());
        assertThat(answer.json().path("reason").asText()).isNotEmpty();
    }

    private static List<JsonNode> lines(Http.Answer answer) {
        return answer.body().lines().map(Http::json).toList();
    }

    @ParameterizedTest
    @EnumSource
    void aPublishReachesSubscribersAndARepeatDoesNot(WireEncoding encoding) {
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort());
                TestClient client = client(server, "ada", encoding)) {
            client.subscribe("/a");
            String body = "{\"subject\":\"/a\",\"data\":\"one\",\"msgId\":\"m1\"}";
            Http.Answer first = api.post("/v1/publish", body, PUBLISH, JSON);
            assertThat(first.status()).as(first.body()).isEqualTo(200);
            assertThat(first.json().path("subject").asText()).isEqualTo("/a");
            assertThat(first.json().path("seq").asLong()).isEqualTo(1);
            assertThat(api.post("/v1/publish", body, PUBLISH, JSON).json()).isEqualTo(first.json());
            api.post("/v1/publish", "{\"subject\":\"/a\",\"base64\":\"dHdv\",\"retain\":true}", PUBLISH, JSON);
            assertThat(client.data(2)).containsExactly("one", "two");
            JsonNode history = api.get("/v1/history?subject=/a&limit=1", READ).json();
            assertThat(history.path("more").asBoolean()).isTrue();
            String after = history.path("epoch").asText() + ":"
                    + history.at("/messages/0/seq").asText();
            JsonNode rest =
                    api.get("/v1/history?subject=/a&after=" + after, READ).json();
            assertThat(rest.path("messages").findValuesAsText("data")).containsExactly("two");
            assertThat(rest.path("more").asBoolean()).isFalse();
        }
    }

    @Test
    void eachLineOfABatchHasItsOutcomeInOrder() {
        try (ServerInJvm server = server("MaxMessageSize=1 KB");
                Http api = Http.to(server.apiPort());
                TestClient client = client(server, "ada", WireEncoding.BINARY)) {
            client.subscribe("/b/1");
            List<String> batch = List.of(
                    "{\"subject\":\"/b/1\",\"data\":\"x\",\"op\":\"subscribe\",\"id\":9}",
                    "{\"subject\":\"/b/*\",\"data\":\"x\"}",
                    "",
                    "{\"subject\":\"/$node\",\"data\":\"x\"}",
                    "not JSON",
                    "{\"subject\":\"/b/2\"}",
                    "{\"subject\":\"/b/2\",\"data\":\"" + "y".repeat(1025) + "\"}",
                    "{\"subject\":\"/b/1\",\"data\":\"z\"}");
            Http.Answer answer = api.post("/v1/publish", String.join("\r\n", batch), PUBLISH, LINES);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(lines(answer).stream()
                            .map(line -> line.has("seq")
                                    ? line.path("seq").asText()
                                    : line.path("code").asText()))
                    .containsExactly(
                            "1",
                            "wildcard-not-allowed",
                            "bad-subject",
                            "bad-json",
                            "bad-request",
                            "message-too-large",
                            "2");
            assertThat(client.data(2)).containsExactly("x", "z");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "disk"})
    void aLargeBatchIsPublishedCompletelyAndInOrder(String history) throws IOException {
        Path folder = Files.createTempDirectory(TestMachine.target(), "history");
        try (ServerInJvm server = server("History=" + history, "History.Folder=" + folder, "CacheSize=20000");
                Http api = Http.to(server.apiPort())) {
            String batch = String.join(
                    "\n",
                    IntStream.range(0, 10_000)
                            .mapToObj(i -> "{\"subject\":\"/l/" + i % 7 + "\",\"data\":\"" + i + "\"}")
                            .toList());
            List<JsonNode> results = lines(api.post("/v1/publish", batch, PUBLISH, LINES));
            assertThat(results).hasSize(10_000);
            for (int i = 0; i < 10_000; i++) {
                assertThat(results.get(i).path("seq").asLong()).isEqualTo(i / 7 + 1L);
            }
            JsonNode last = api.get("/v1/history?subject=/l/3&limit=1000", READ).json();
            assertThat(last.at("/messages/999/data").asText()).isEqualTo(Integer.toString(999 * 7 + 3));
            assertRefused(api.post("/v1/publish", batch + "\n" + batch, PUBLISH, LINES), Code.TOO_MANY_LINES);
            assertThat(api.get("/v1/history?subject=/l/3&limit=1", READ)
                            .json()
                            .path("seq")
                            .asLong())
                    .as("nothing was published")
                    .isEqualTo(1429);
        }
    }

    @Test
    void headersArePublishedWithinTheirLimits() {
        try (ServerInJvm server = server("Limit.Headers=2", "Limit.HeaderBytes=100", "MaxMessageSize=80");
                Http api = Http.to(server.apiPort())) {
            String batch = Stream.of(
                            "{\"kind\":\"new\",\"lang\":\"de\"}",
                            "{\"a\":\"\",\"b\":\"\",\"c\":\"\"}",
                            "{\"k\":\"" + "v".repeat(100) + "\"}",
                            "{\"$k\":\"v\"}",
                            "{\"k\":\"" + "v".repeat(76) + "\"}")
                    .map(headers -> "{\"subject\":\"/h\",\"data\":\"x\",\"headers\":" + headers + "}")
                    .reduce("", (before, next) -> before + next + "\n");
            assertThat(lines(api.post("/v1/publish", batch, PUBLISH, LINES)).stream()
                            .map(line -> line.path("code").asText()))
                    .containsExactly("", "bad-headers", "message-too-large", "bad-headers", "message-too-large");
            JsonNode message = api.get("/v1/history?subject=/h", READ).json().at("/messages/0");
            assertThat(message.path("headers").toString()).isEqualTo("{\"kind\":\"new\",\"lang\":\"de\"}");
        }
    }

    @Test
    void aBroadcastHasAResultForEachSubject() {
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort());
                TestClient client = client(server, "ada", WireEncoding.JSON)) {
            client.subscribe("/c/*");
            Http.Answer answer = api.post(
                    "/v1/broadcast",
                    "{\"subjects\":[\"/c/1\",\"/c/**\",\"/c/2\"],\"data\":\"x\",\"msgId\":\"m\"}",
                    PUBLISH,
                    JSON);
            JsonNode results = answer.json().path("results");
            assertThat(results.findValuesAsText("subject")).contains("/c/1", "/c/2");
            assertThat(results.at("/0/seq").asLong()).isEqualTo(1);
            assertThat(results.at("/1/code").asText()).isEqualTo("wildcard-not-allowed");
            assertThat(results.at("/2/seq").asLong()).isPositive();
            assertThat(client.data(2)).containsExactly("x", "x");
            assertRefused(api.post("/v1/broadcast", "{\"data\":\"x\"}", PUBLISH, JSON), Code.BAD_REQUEST);
            assertRefused(api.post("/v1/broadcast", "{", PUBLISH, JSON), Code.BAD_JSON);
            String many = String.join(
                    ",",
                    IntStream.range(0, 1001).mapToObj(i -> "\"/c/" + i + "\"").toList());
            assertRefused(
                    api.post("/v1/broadcast", "{\"subjects\":[" + many + "],\"data\":\"x\"}", PUBLISH, JSON),
                    Code.BAD_REQUEST);
        }
    }

    @Test
    void eachCallNeedsAKeyWithItsRight() {
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort())) {
            String publish = "{\"subject\":\"/a\",\"data\":\"x\"}";
            assertRefused(api.post("/v1/publish", publish, JSON), Code.UNAUTHORIZED);
            assertRefused(api.post("/v1/publish", publish, JSON, ALL + "0"), Code.UNAUTHORIZED);
            assertRefused(api.post("/v1/publish", publish, JSON, READ), Code.KEY_DENIED);
            assertRefused(api.get("/v1/sessions", PUBLISH), Code.KEY_DENIED);
            assertRefused(api.post("/v1/disconnect", "{\"user\":\"ada\"}", JSON, READ), Code.KEY_DENIED);
            assertThat(api.get("/v1/sessions", READ).status()).isEqualTo(200);
            assertThat(api.post("/v1/disconnect", "{\"user\":\"ada\"}", JSON, ALL)
                            .status())
                    .isEqualTo(200);
            Await.until(
                    "the calls are counted",
                    () -> server.stats().at("/counters/apiRequests").asLong() == 7
                            && server.stats().at("/counters/apiRefused").asLong() == 5);
        }
    }

    /** The answer has 5 MB, because JSON needs six bytes for each control character. The kernel takes up to 4 MB of it. */
    @Test
    void unreadAnswersAreLimitedTogether() {
        String line = "{\"subject\":\"/unread\",\"data\":\"" + "\\u0001".repeat(900) + "\"}\n";
        String history = "/v1/history?limit=1000&subject=/unread";
        try (ServerInJvm server = server("Api.AnswerBytes=64 KB");
                Http api = Http.to(server.apiPort());
                RawConnection unread = RawConnection.to("127.0.0.1", server.apiPort(), 4096)) {
            assertThat(api.post("/v1/publish", line.repeat(1000), ALL, LINES).status())
                    .isEqualTo(200);
            unread.send(Http.text("GET", history, "", ALL));
            Await.until(
                    "the unread answer counts",
                    () -> api.get("/v1/nodes", READ).code().equals(Code.OVERLOADED.text()));
            assertRefused(api.get(history, ALL), Code.OVERLOADED);
            assertThat(api.post("/v1/publish", line, ALL, JSON).status()).isEqualTo(200);
            unread.reset();
            Await.until(
                    "the answer of a closed connection counts no longer",
                    () -> api.get(history, READ).status() == 200);
        }
    }

    @Test
    void malformedCallsAreRefusedWithTheirFault() {
        try (ServerInJvm server = server("Api.BodyBytes=2 KB");
                Http api = Http.to(server.apiPort())) {
            assertRefused(api.get("/v1/nothing", ALL), Code.NOT_FOUND);
            assertRefused(api.get("/v1/publish", ALL), Code.METHOD_NOT_ALLOWED);
            assertRefused(api.get("/v1/sessions?limit=0", ALL), Code.BAD_REQUEST);
            assertRefused(api.get("/v1/sessions?limit=1001", ALL), Code.BAD_REQUEST);
            assertRefused(api.get("/v1/sessions?limit=1&limit=2", ALL), Code.BAD_REQUEST);
            assertRefused(api.get("/v1/sessions?usr=ada", ALL), Code.BAD_REQUEST);
            assertRefused(api.get("/v1/sessions?after=nowhere", ALL), Code.BAD_REQUEST);
            assertRefused(api.get("/v1/sessions?state=asleep", ALL), Code.BAD_REQUEST);
            assertRefused(api.get("/v1/sessions/nobody", ALL), Code.NOT_FOUND);
            assertRefused(api.get("/v1/subjects?pattern=a", ALL), Code.BAD_SUBJECT);
            assertRefused(api.post("/v1/subjects", "{\"subjects\":[]}", ALL, JSON), Code.BAD_REQUEST);
            assertRefused(api.post("/v1/subjects", "{\"subjects\":[\"/*\"]}", ALL, JSON), Code.WILDCARD_NOT_ALLOWED);
            assertRefused(api.post("/v1/subjects", "{\"subjects\":[\"/$node\"]}", ALL, JSON), Code.BAD_SUBJECT);
            assertRefused(api.get("/v1/history", ALL), Code.BAD_REQUEST);
            assertRefused(api.get("/v1/history?subject=/*", ALL), Code.WILDCARD_NOT_ALLOWED);
            assertRefused(api.get("/v1/history?subject=/a&after=1", ALL), Code.BAD_POSITION);
            assertRefused(api.get("/v1/history?subject=/a&after=1:1", ALL), Code.EPOCH_CHANGED);
            assertRefused(api.post("/v1/publish", "{}", ALL), Code.BAD_REQUEST);
            assertRefused(api.post("/v1/publish", "", ALL, LINES), Code.BAD_REQUEST);
            assertRefused(api.post("/v1/publish", "x".repeat(2049), ALL, JSON), Code.BODY_TOO_LARGE);
        }
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort())) {
            for (String body : List.of("[]", "{} {}", "{\"user\":\"a\",\"user\":\"b\"}", "nothing", "")) {
                assertRefused(api.post("/v1/disconnect", body, ALL, JSON), Code.BAD_JSON);
            }
            for (String body : List.of(
                    "{}",
                    "{\"user\":\"a\",\"session\":\"b\"}",
                    "{\"user\":7}",
                    "{\"user\":{\"a\":1}}",
                    "{\"user\":\"a\",\"reason\":\"" + "r".repeat(101) + "\"}")) {
                assertRefused(api.post("/v1/disconnect", body, ALL, JSON), Code.BAD_REQUEST);
            }
            assertRefused(
                    api.post("/v1/unsubscribe", "{\"user\":\"a\",\"subjects\":[\"b\"]}", ALL, JSON), Code.BAD_SUBJECT);
        }
    }

    @Test
    void webPagesAndOtherHostNamesAreRefused() {
        try (ServerInJvm server = server()) {
            String end = "\r\n" + ALL + "\r\nConnection: close\r\n\r\n";
            for (String head : List.of(
                    "GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost",
                    "GET /v1/sessions HTTP/1.1\r\nHost: evil.example",
                    "GET http://evil.example/v1/sessions HTTP/1.1\r\nHost: localhost")) {
                try (RawConnection raw = RawConnection.to(server.apiPort())) {
                    assertThat(raw.send(head + end).rest())
                            .as(head)
                            .contains("403")
                            .contains("origin-denied");
                }
            }
        }
    }

    @Test
    void sessionsAreListedByPagesAndByUser() {
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort())) {
            List<TestClient> clients = new ArrayList<>();
            for (int i = 0; i < 25; i++) {
                TestClient client = client(server, "u" + i % 5, WireEncoding.JSON);
                client.subscribe(i % 2 == 0 ? "/even" : "/odd/*");
                clients.add(client);
            }
            Set<String> names = new HashSet<>();
            String after = "";
            int pages = 0;
            do {
                JsonNode page = api.get("/v1/sessions?limit=10" + after, READ).json();
                assertThat(page.path("scope").asText()).isEqualTo("node");
                page.path("sessions")
                        .forEach(each -> names.add(each.path("session").asText()));
                after = page.has("next") ? "&after=" + page.path("next").asText() : "";
                pages++;
            } while (!after.isEmpty());
            assertThat(names).hasSize(25);
            assertThat(pages).isBetween(3, 5);
            JsonNode ofUser = api.get("/v1/sessions?user=u3", READ).json();
            assertThat(ofUser.path("sessions").findValuesAsText("user"))
                    .hasSize(5)
                    .containsOnly("u3");
            JsonNode two = api.get("/v1/sessions?user=u3&limit=2", READ).json();
            JsonNode three = api.get(
                            "/v1/sessions?user=u3&limit=3&after="
                                    + two.path("next").asText(),
                            READ)
                    .json();
            assertThat(two.path("sessions").size()).isEqualTo(2);
            assertThat(three.path("sessions").size()).isEqualTo(3);
            assertThat(three.has("next")).isFalse();
            assertThat(api.get("/v1/sessions?subject=/odd/*&limit=100", READ)
                            .json()
                            .path("sessions")
                            .size())
                    .isEqualTo(12);
            assertThat(api.get("/v1/sessions?state=slow", READ)
                            .json()
                            .path("sessions")
                            .size())
                    .isZero();
            String name = ofUser.at("/sessions/0/session").asText();
            JsonNode one = api.get("/v1/sessions/" + name, READ).json();
            assertThat(one.path("user").asText()).isEqualTo("u3");
            assertThat(one.path("subjects").size()).isEqualTo(1);
            clients.getFirst().publish("/even", "x");
            JsonNode subjects = api.get("/v1/subjects?pattern=/*", READ).json();
            assertThat(subjects.at("/subjects/0/subject").asText()).isEqualTo("/even");
            assertThat(subjects.at("/subjects/0/subscribers").asInt()).isEqualTo(13);
            assertThat(subjects.at("/subjects/0/seq").asInt()).isEqualTo(1);
            String asked = "{\"subjects\":[\"/none\",\"/even\",\"/even\"]}";
            assertThat(api.post("/v1/subjects", asked, READ, JSON).json().path("subjects"))
                    .isEqualTo(subjects.path("subjects"));
            clients.forEach(TestClient::close);
        }
    }

    @Test
    void aUserIsDisconnectedOnAllLanes() {
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort());
                TestClient first = client(server, "ada", WireEncoding.JSON);
                TestClient second = client(server, "ada", WireEncoding.BINARY);
                TestClient other = client(server, "bob", WireEncoding.JSON)) {
            first.subscribe("/a");
            second.subscribe("/a");
            other.subscribe("/a");
            JsonNode done = api.post("/v1/disconnect", "{\"user\":\"ada\",\"reason\":\"logged out\"}", ALL, JSON)
                    .json();
            assertThat(done.path("disconnected").asInt()).isEqualTo(2);
            assertThat(done.path("scope").asText()).isEqualTo("node");
            for (TestClient each : List.of(first, second)) {
                Event.Closed closed = each.expect(Event.Closed.class);
                assertThat(closed.code()).isEqualTo(4014);
                assertThat(closed.reason()).isEqualTo("disconnected: logged out");
            }
            other.publish("/a", "still there");
            assertThat(other.data(1)).containsExactly("still there");
            assertThat(server.logText())
                    .contains("server API: disconnect by key all from 127.0.0.1: user=\"ada\" sessions=2");
            String name = api.get("/v1/sessions?user=bob", READ)
                    .json()
                    .at("/sessions/0/session")
                    .asText();
            JsonNode ended = api.post(
                            "/v1/unsubscribe", "{\"session\":\"" + name + "\",\"subjects\":[\"/a\",\"/x\"]}", ALL, JSON)
                    .json();
            assertThat(ended.path("unsubscribed").asInt()).isEqualTo(1);
            assertThat(other.expect(Event.Ended.class)).isEqualTo(new Event.Ended("/a", "disconnected"));
            api.post("/v1/disconnect", "{\"session\":\"" + name + "\",\"reconnect\":true}", ALL, JSON);
            assertThat(other.expect(Event.Closed.class).code()).isEqualTo(1001);
        }
    }

    @Test
    void aReloadReadsTheKeysAgainOrKeepsThem() throws IOException {
        Path file = keys();
        try (ServerInJvm server = server(file);
                Http api = Http.to(server.apiPort())) {
            Files.writeString(file, "other read " + NEW_KEY + "\n");
            server.reload("LogLevel=INFO");
            Await.until(
                    "the new key is valid",
                    () -> api.get("/v1/nodes", "Authorization: Bearer " + NEW_KEY)
                                    .status()
                            == 200);
            assertRefused(api.get("/v1/nodes", READ), Code.UNAUTHORIZED);
            Files.writeString(file, "other read short\n");
            server.reload("LogLevel=WARN");
            assertThat(api.get("/v1/nodes", "Authorization: Bearer " + NEW_KEY).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void theNodeIsDrainedByItsName() {
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort());
                TestClient client = client(server, "ada", WireEncoding.JSON)) {
            client.subscribe("/a");
            JsonNode nodes = api.get("/v1/nodes", READ).json();
            String node = nodes.path("node").asText();
            assertThat(nodes.at("/nodes/0/node").asText()).isEqualTo(node);
            assertRefused(api.post("/v1/nodes/other/drain", "{}", ALL, JSON), Code.NOT_FOUND);
            assertThat(api.post("/v1/nodes/" + node + "/drain", "{\"overMillis\":100}", ALL, JSON)
                            .status())
                    .isEqualTo(200);
            assertThat(client.await(Event.Closed.class).code()).isEqualTo(1001);
        }
    }

    @Test
    void anApiWithoutUsableKeysPreventsTheStart() {
        assertThatThrownBy(() -> server(Path.of("no-such-file"))).hasMessageContaining("Api.KeyFile");
        assertThatThrownBy(() -> ServerInJvm.start("Api.Listen=127.0.0.1:0")).hasMessageContaining("needs Api.KeyFile");
    }
}
