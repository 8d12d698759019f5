package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.Position;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the HTTP interface of the console: logins, changes, the stream of seconds, and the lists of sessions and subjects. */
final class ConsoleTest {
    private static final String LOOK = "a-password-to-look";
    private static final String ACT = "a-password-to-act";
    private static final String JSON = "Content-Type: application/json";

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start(
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorPassword=" + LOOK,
                "ConsoleActPassword=" + ACT);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Http monitor() {
        return Http.to(server.monitorHttpPort());
    }

    private static String basic(String password) {
        byte[] pair = ("admin:" + password).getBytes(StandardCharsets.UTF_8);
        return "Authorization: Basic " + Base64.getEncoder().encodeToString(pair);
    }

    private static Http.Answer get(String page, String... headers) {
        try (Http http = monitor()) {
            return http.get("/console/api/" + page, headers);
        }
    }

    private static Http.Answer post(String page, String body, String... headers) {
        try (Http http = monitor()) {
            return http.post("/console/api/" + page, body, headers);
        }
    }

    private static JsonNode read(String page) {
        Http.Answer answer = get(page, basic(LOOK));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static List<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }

    @Test
    void aLoginGivesACookieThatEndsWithTheLogout() {
        assertThat(get("me").status()).isEqualTo(401);
        Http.Answer login = post("login", "{\"username\":\"admin\",\"password\":\"" + LOOK + "\"}", JSON);
        assertThat(login.json().path("role").asText()).isEqualTo("look");
        String cookie = login.headers().getOrDefault("set-cookie", "");
        assertThat(cookie).contains("HttpOnly", "SameSite=Strict", "Path=/console/");
        String sent = "Cookie: other=1; " + cookie.split(";", 2)[0];
        assertThat(get("me", sent).json().path("login").asBoolean()).isTrue();
        assertThat(post("logout", "{}", JSON, sent).status()).isEqualTo(204);
        assertThat(get("me", sent).status()).isEqualTo(401);
    }

    @Test
    void wrongPasswordsAreCountedAndSlowedDown() {
        long before = denied();
        String wrong = "{\"username\":\"admin\",\"password\":\"wrong\"}";
        assertThat(post("login", wrong, JSON).status()).isEqualTo(401);
        assertThat(post("login", wrong, JSON).code()).isEqualTo("login-rate");
        assertThat(denied()).isEqualTo(before + 1);
        Await.until(
                "the next try is allowed",
                () -> post("login", "{\"username\":\"admin\",\"password\":\"" + ACT + "\"}", JSON)
                                .status()
                        == 200);
        assertThat(denied()).isEqualTo(before + 1);
    }

    @Test
    void aMalformedHeaderCountsAsAWrongPassword() {
        long before = denied();
        assertThat(get("me", "Authorization: Basic ?").status()).isEqualTo(401);
        assertThat(get("me", "Authorization: Bearer token").status()).isEqualTo(401);
        assertThat(denied()).isEqualTo(before + 2);
    }

    @Test
    void withoutAMonitorPasswordTheSecondOneAllowsChanges() {
        try (TestServer open = TestServer.start(
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false",
                        "ConsoleActPassword=" + ACT);
                Http http = Http.to(open.monitorHttpPort())) {
            JsonNode anyone = http.get("/console/api/me").json();
            assertThat(anyone.path("role").asText()).isEqualTo("look");
            assertThat(anyone.path("changes").asBoolean()).isTrue();
            assertThat(http.get("/console/api/me", basic(ACT))
                            .json()
                            .path("role")
                            .asText())
                    .isEqualTo("act");
        }
    }

    private static long denied() {
        try (Http http = monitor()) {
            return http.get("/metrics", basic(LOOK))
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("belfry_monitor_denied_total "))
                    .mapToLong(line -> (long) Double.parseDouble(line.split(" ", -1)[1]))
                    .sum();
        }
    }

    @Test
    void aForeignPageGetsNothing() {
        assertThat(get("me", basic(LOOK), "Origin: http://evil.example").code()).isEqualTo("origin-denied");
        String login = "{\"username\":\"admin\",\"password\":\"" + LOOK + "\"}";
        assertThat(post("login", login, "Content-Type: text/plain").code()).isEqualTo("origin-denied");
        assertThat(post("login", login, JSON, "Sec-Fetch-Site: cross-site").code())
                .isEqualTo("origin-denied");
        assertThat(get("disconnect", basic(ACT)).status()).isEqualTo(405);
    }

    @Test
    void malformedRequestsAreRefused() {
        for (String page : List.of("sessions?page=-1", "sessions?page=100", "sessions?sort=age", "stream?after=x")) {
            assertThat(get(page, basic(LOOK)).code()).as(page).isEqualTo("bad-request");
        }
        assertThat(get("sessions?search=%zz", basic(LOOK)).status()).isEqualTo(400);
        for (String body : List.of("", "[]", "{\"session\":1}", "{\"session\":", "x".repeat(5000))) {
            assertThat(post("disconnect", body, JSON, basic(ACT)).status())
                    .as(body)
                    .isEqualTo(400);
        }
        assertThat(get("nothing", basic(LOOK)).code()).isEqualTo("not-found");
    }

    @Test
    void theStreamHasEachSecondOnce() {
        List<Long> numbers = new ArrayList<>();
        try (Http http = monitor()) {
            http.stream("/console/api/stream", basic(LOOK));
            Http.LineSource lines = http.lines();
            JsonNode hello = Http.json(lines.next());
            assertThat(hello.path("latencyBounds")).hasSize(51);
            assertThat(hello.path("lanes")).isNotEmpty();
            JsonNode line = hello;
            // The stream begins with all seconds so far, which are more than two if the server is older.
            while (numbers.size() < 2 || !line.path("type").asText().equals("state")) {
                line = Http.json(lines.next());
                if (line.path("type").asText().equals("second")) {
                    assertThat(line.path("lanes")).hasSameSizeAs(hello.path("lanes"));
                    numbers.add(line.path("seq").asLong());
                }
            }
            assertThat(line.path("ready").asBoolean()).isTrue();
            assertThat(line.path("nodes")).hasSize(1);
        }
        try (Http http = monitor()) {
            http.stream("/console/api/stream?after=" + numbers.getLast(), basic(LOOK));
            Http.LineSource lines = http.lines();
            assertThat(Http.json(lines.next()).path("type").asText()).isEqualTo("hello");
            assertThat(Http.json(lines.next()).path("seq").asLong()).isEqualTo(numbers.getLast() + 1);
        }
        assertThat(numbers.getLast()).isEqualTo(numbers.getFirst() + numbers.size() - 1);
    }

    @Test
    void aRaisedAlertHasReasonAndNextStep() {
        try (TestClient client = TestClient.open(server, WireEncoding.JSON);
                Http http = monitor()) {
            client.resume("/alerts/a", new Position(1, 1));
            Await.until(
                    "the alert is raised",
                    () -> http.get("/health/ready").body().contains("\"name\":\"BelfryRecoveriesWithGap\""));
            assertThat(http.get("/health/ready").status()).isEqualTo(200);
            http.stream("/console/api/stream?after=0", basic(LOOK));
            Http.LineSource lines = http.lines();
            Optional<JsonNode> raised = Optional.empty();
            // The stream begins with earlier seconds, when the alert was not raised yet.
            while (raised.isEmpty()) {
                raised = elements(Http.json(lines.next()).path("alerts")).stream()
                        .filter(each -> each.path("name").asText().equals("BelfryRecoveriesWithGap"))
                        .findFirst();
            }
            JsonNode alert = raised.orElseThrow();
            assertThat(alert.path("reason").asText()).matches("\\d+ recoveries within 15 minutes");
            assertThat(alert.path("nextStep").asText()).contains("CacheSize");
        }
    }

    @Test
    void sessionsAreSearchedShownAndDisconnected() {
        try (TestClient first = TestClient.open(server, WireEncoding.JSON);
                TestClient second = TestClient.open(server, WireEncoding.BINARY)) {
            first.subscribe("/console/sessions/<img src=x onerror=alert(1)>");
            second.subscribe("/console/sessions/b");
            second.subscribe("/console/sessions/c");
            JsonNode page = read("sessions?sort=subscriptions&search=127.0.0.1");
            assertThat(page.path("matching").asInt()).isGreaterThanOrEqualTo(2);
            JsonNode most = page.path("sessions").get(0);
            assertThat(most.path("subscriptions").asInt()).isEqualTo(2);
            assertThat(most.path("format").asText()).isEqualTo("websocket-binary");
            String name = most.path("session").asText();
            assertThat(read("sessions?search=nobody-" + name).path("matching").asInt())
                    .isZero();
            JsonNode details = read("session?name=" + name);
            assertThat(elements(details.path("subjects")))
                    .extracting(row -> row.path("subject").asText())
                    .containsExactlyInAnyOrder("/console/sessions/b", "/console/sessions/c");
            String body = "{\"session\":\"" + name + "\"}";
            assertThat(post("disconnect", body, JSON, basic(LOOK)).code()).isEqualTo("act-denied");
            assertThat(post("disconnect", body, JSON, basic(ACT)).status()).isEqualTo(200);
            assertThat(second.expect(Event.Closed.class).reason()).contains("operator");
            assertThat(get("session?name=" + name, basic(LOOK)).status()).isEqualTo(404);
            assertThat(post("disconnect", body, JSON, basic(ACT)).status()).isEqualTo(404);
        }
    }

    @Test
    void pagesOfSessionsAreCompleteAndDoNotOverlap() {
        List<TestClient> clients = IntStream.range(0, 150)
                .mapToObj(i -> TestClient.open(server, WireEncoding.JSON))
                .toList();
        try {
            List<String> names = new ArrayList<>();
            for (int page = 0; page < 2; page++) {
                elements(read("sessions?sort=connected&page=" + page).path("sessions"))
                        .forEach(row -> names.add(row.path("session").asText()));
            }
            assertThat(names).hasSizeGreaterThanOrEqualTo(150).doesNotHaveDuplicates();
        } finally {
            clients.forEach(TestClient::close);
        }
    }

    @Test
    void subjectsAreATreeWithSums() {
        try (TestClient client = TestClient.open(server, WireEncoding.JSON);
                TestClient subscriber = TestClient.open(server, WireEncoding.JSON)) {
            subscriber.subscribe("/tree/a/x");
            for (int i = 0; i < 3; i++) {
                client.publish("/tree/a/x", "12345");
            }
            client.publish("/tree/a", "1");
            client.publish("/tree/b", "1");
            Await.until(
                    "the subjects are counted anew",
                    () -> read("subjects?under=/tree").path("children").size() == 2);
            JsonNode a = elements(read("subjects?under=/tree").path("children")).stream()
                    .filter(child -> child.path("name").asText().equals("a"))
                    .findFirst()
                    .orElseThrow();
            assertThat(a.path("published").asInt()).isEqualTo(4);
            assertThat(a.path("below").asInt()).isEqualTo(1);
            assertThat(a.path("subscribers").asInt()).isEqualTo(1);
            assertThat(a.path("messages").asInt()).isEqualTo(1);
            JsonNode leaf = read("subjects?under=/tree/a").path("children").get(0);
            assertThat(leaf.path("name").asText()).isEqualTo("x");
            assertThat(leaf.path("messages").asInt()).isEqualTo(3);
            assertThat(leaf.path("bytes").asInt()).isEqualTo(15);
        }
    }

    @Test
    void tryNamesTheAddressesUnderTheHostOfThePage() {
        assertThat(read("try").path("servers").get(0).asText()).isEqualTo("ws://localhost:" + server.port());
        assertThat(get("try", basic(LOOK), "Host: a\"b").json().path("servers")).isEmpty();
    }

    @Test
    void everyCodeHasItsSentence() {
        assertThat(read("codes").path("slow-consumer").asText()).startsWith("The session read");
    }
}
