package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.ApplicationServer.Behaviour;
import io.belfry.integration.ApplicationServer.Received;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Tests {@code Entitlement = Http} against applications that answer well, wrongly or never. */
final class HttpEntitlementTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String NEXT = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

    private static String answer(Received question) {
        String token = Http.json(question.text()).path("token").asText();
        String user = Http.json(question.text()).path("headers").path("cookie").asText();
        return switch (token) {
            case "refused" -> "{\"allow\":false,\"reason\":\"not a member\"}";
            case "later" -> "{\"allow\":false,\"code\":\"not-ready\",\"reason\":\"database is away\"}";
            case "cached" -> "{\"allow\":true,\"ttl\":60,\"permissions\":{\"all\":[\"/a\"]}}";
            case "wrong-pattern" -> "{\"allow\":true,\"permissions\":{\"sub\":[\"no pattern\"]}}";
            case "wrong-type" -> "{\"allow\":\"yes\"}";
            case "brief" -> "{\"allow\":true,\"until\":" + (System.currentTimeMillis() / 1000 + 2) + "}";
            default ->
                "{\"allow\":true,\"permissions\":{\"sub\":[\"/rooms/**\"],\"pub\":[\"/users/{user}/*\"]},"
                        + "\"user\":\"" + (user.isEmpty() ? "ada" : user) + "\",\"unknown\":[1]}";
        };
    }

    private static TestServer start(ApplicationServer application, String... more) {
        return TestServer.start(Stream.concat(
                        Stream.of(
                                "Entitlement=Http",
                                "Decide.Url=" + application.url(),
                                "Decide.Secret=" + SECRET,
                                "Decide.AnswerTime=10s",
                                "Entitlement.DecideTime=20s",
                                "Decide.Headers=Cookie,X-Room",
                                "Monitor=HTTP",
                                "MonitorHTTP.Listen=127.0.0.1:0",
                                "MonitorHTTP.Authentication=false"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token;
    }

    private static String codeFor(TestServer server, String token) {
        return SocketFrames.ask(server.port(), bearer(token)).code();
    }

    private static String signature(String secret, Received question) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
        mac.update((question.headers().getFirst("webhook-id") + "."
                        + question.headers().getFirst("webhook-timestamp") + ".")
                .getBytes(StandardCharsets.UTF_8));
        return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(question.body()));
    }

    @Test
    void theApplicationDecidesOnFactsThatAreSigned() throws Exception {
        try (ApplicationServer application = ApplicationServer.open(HttpEntitlementTest::answer);
                TestServer server = start(application);
                TestClient client = TestClient.open(
                        server, WireEncoding.JSON, bearer("t"), "Cookie: bob", "X-Room: 7", "X-Other: hidden")) {
            Received question = application.received.getFirst();
            JsonNode facts = Http.json(question.text());
            assertThat(facts.path("type").asText()).isEqualTo("connect");
            assertThat(facts.path("token").asText()).isEqualTo("t");
            assertThat(facts.path("address").asText()).isEqualTo("127.0.0.1");
            assertThat(facts.path("transport").asText()).isEqualTo("websocket");
            assertThat(facts.path("headers").toString()).isEqualTo("{\"cookie\":\"bob\",\"x-room\":\"7\"}");
            assertThat(question.headers().getFirst("webhook-signature")).isEqualTo(signature(SECRET, question));
            client.subscribe("/rooms/1");
            assertThat(client.publish("/users/bob/x", "mine").seq()).isPositive();
            client.send("/users/ada/x", "not mine");
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("publish-denied");
            client.connect("refused");
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("unauthorized");
            Http.Answer refused = SocketFrames.ask(server.port(), bearer("refused"));
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.json().path("reason").asText()).isEqualTo("not a member");
            assertThat(codeFor(server, "later")).isEqualTo("not-ready");
            assertThat(codeFor(server, "wrong-pattern")).isEqualTo("internal");
            assertThat(codeFor(server, "wrong-type")).isEqualTo("internal");
        }
    }

    @Test
    void theGrantEndsAtTheTimeThatTheAnswerNames() {
        try (ApplicationServer application = ApplicationServer.open(HttpEntitlementTest::answer);
                TestServer server = start(application);
                TestClient client = TestClient.open(server, WireEncoding.JSON, bearer("brief"))) {
            assertThat(client.end()).isEqualTo(4012);
        }
    }

    @Test
    void anAnswerIsCachedForItsTimeAndOnlyForEqualFacts() {
        try (ApplicationServer application = ApplicationServer.open(HttpEntitlementTest::answer);
                TestServer server = start(application);
                Http http = Http.to(server.port())) {
            for (int i = 0; i < 5; i++) {
                assertThat(http.post("/publish?subject=/a", "x", bearer("cached"))
                                .status())
                        .isEqualTo(200);
            }
            assertThat(application.received).hasSize(1);
            http.post("/publish?subject=/a", "x", bearer("cached"), "Cookie: other");
            assertThat(application.received).hasSize(2);
            application.behaviour = Behaviour.FAILS;
            assertThat(http.post("/publish?subject=/a", "x", bearer("cached")).status())
                    .isEqualTo(200);
            Await.until(
                    "cached decisions are counted",
                    () -> server.stats()
                                    .path("counters")
                                    .path("decisionsCached")
                                    .asInt()
                            == 5);
        }
    }

    @Test
    void everyReceiverFaultRefusesTheClientAndDelaysNoOther() {
        try (ApplicationServer application = ApplicationServer.open(HttpEntitlementTest::answer);
                TestServer server = start(application, "Decide.AnswerTime=2s");
                TestClient other = TestClient.open(server, WireEncoding.JSON, bearer("t"), "Cookie: bob")) {
            Behaviour.CODES_OF_DECISIONS.forEach((behaviour, code) -> {
                application.behaviour = behaviour;
                CompletableFuture<String> refused = CompletableFuture.supplyAsync(
                        () -> codeFor(server, behaviour.name()), Thread::startVirtualThread);
                behaviour.requireQuickPublishes(other, "/users/bob/x", Duration.ofSeconds(1));
                assertThat(refused.join()).as(behaviour.name()).isEqualTo(code);
                // A success ends the sequence of failures.
                application.behaviour = Behaviour.ANSWERS;
                assertThat(codeFor(server, "refused")).isEqualTo("unauthorized");
            });
            assertThat(application.elsewhere).hasValue(0);
            Await.until(
                    "failures are counted",
                    () -> server.stats()
                                    .path("counters")
                                    .path("decisionFailures")
                                    .asInt()
                            == Behaviour.CODES_OF_DECISIONS.size());
        }
    }

    @Test
    void theLogStatesThatAnApplicationAcceptsNoConnection() {
        try (ApplicationServer application = ApplicationServer.open(HttpEntitlementTest::answer);
                TestServer server = start(application, "Decide.Url=http://127.0.0.1:1/")) {
            assertThat(codeFor(server, "t")).isEqualTo("internal");
            Await.until(
                    "the failure is logged",
                    () -> server.logText()
                            .contains("failed: url=http://127.0.0.1:1/ error=\"no connection\" failures=1"));
        }
    }

    @Test
    void anAddressThatDoesNotAnswerIsNotAskedForAPause() {
        try (ApplicationServer application = ApplicationServer.open(HttpEntitlementTest::answer);
                TestServer server = start(application, "Decide.AnswerTime=200ms", "Decide.PauseTime=2s")) {
            application.behaviour = Behaviour.HANGS;
            for (int i = 0; i < 5; i++) {
                assertThat(codeFor(server, "t" + i)).isEqualTo("decide-timeout");
            }
            int asked = application.received.size();
            assertThat(codeFor(server, "t")).isEqualTo("not-ready");
            assertThat(application.received).hasSize(asked);
            application.behaviour = Behaviour.ANSWERS;
            Await.until(
                    "the application is asked again",
                    () -> codeFor(server, "refused").equals("unauthorized"));
        }
    }

    @Test
    void questionsOverTheBoundsAreRefusedAtOnce() {
        try (ApplicationServer application = ApplicationServer.open(HttpEntitlementTest::answer);
                TestServer server =
                        start(application, "Decide.AnswerTime=2s", "Decide.Parallel=1", "Decide.Waiting=1")) {
            application.behaviour = Behaviour.HANGS;
            List<CompletableFuture<String>> codes = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                String token = "t" + i;
                codes.add(CompletableFuture.supplyAsync(() -> codeFor(server, token), Thread::startVirtualThread));
            }
            List<String> all = codes.stream().map(CompletableFuture::join).toList();
            assertThat(all.stream().filter("overloaded"::equals)).hasSize(4);
            assertThat(all.stream().filter("decide-timeout"::equals)).hasSize(2);
            Await.until(
                    "refused questions are counted",
                    () -> server.stats()
                                    .path("counters")
                                    .path("decisionsRefused")
                                    .asInt()
                            == 4);
        }
    }

    @Test
    void theNextAddressAnswersIfOneFails() {
        try (ApplicationServer broken = ApplicationServer.open(HttpEntitlementTest::answer);
                ApplicationServer application = ApplicationServer.open(HttpEntitlementTest::answer);
                TestServer server = start(broken, "Decide.Url=" + broken.url() + "," + application.url())) {
            broken.behaviour = Behaviour.FAILS;
            assertThat(codeFor(server, "refused")).isEqualTo("unauthorized");
            assertThat(application.received).hasSize(1);
        }
    }

    @Test
    void aReloadAddsASecretWithoutAnInterruption() throws Exception {
        try (ApplicationServer application = ApplicationServer.open(HttpEntitlementTest::answer);
                TestServer server = start(application)) {
            server.reload("Decide.Secret=" + NEXT + " " + SECRET);
            assertThat(codeFor(server, "refused")).isEqualTo("unauthorized");
            Received question = application.received.getFirst();
            assertThat(question.headers().getFirst("webhook-signature"))
                    .isEqualTo(signature(NEXT, question) + " " + signature(SECRET, question));
        }
    }

    @Test
    void theCertificateOfTheApplicationIsChecked() {
        SelfSigned own = SelfSigned.make();
        SelfSigned other = SelfSigned.make("CN=other", "-keyalg", "EC");
        try (ApplicationServer application =
                        ApplicationServer.open(SelfSigned.client(own), HttpEntitlementTest::answer);
                TestServer server = start(application, "Decide.Authorities=" + own.certificate());
                TestServer wrong = start(application, "Decide.Authorities=" + other.certificate());
                TestServer without = start(application)) {
            assertThat(codeFor(server, "refused")).isEqualTo("unauthorized");
            assertThat(codeFor(wrong, "refused")).isEqualTo("internal");
            assertThat(codeFor(without, "refused")).isEqualTo("internal");
            assertThat(application.received).hasSize(1);
        }
    }
}
