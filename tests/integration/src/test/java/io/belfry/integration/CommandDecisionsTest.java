package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.ApplicationServer.Behaviour;
import io.belfry.integration.ApplicationServer.Received;
import io.belfry.protocol.SubscribeRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the option {@code decisions}: an application decides about single commands, well, wrongly or never. */
final class CommandDecisionsTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String[] USER = {"Authorization: Bearer t", "Cookie: ann"};

    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger mostUnderWay = new AtomicInteger();

    /** Decides by the last segment of the subject. */
    private String answer(Received question) {
        JsonNode facts = Http.json(question.text());
        if (facts.path("type").asText().equals("connect")) {
            String user = facts.path("headers").path("cookie").asText();
            return "{\"allow\":true,\"ttl\":60,\"permissions\":{\"all\":[\"/**\"]}"
                    + (user.isEmpty() ? "" : ",\"user\":\"" + user + "\"") + "}";
        }
        String subject = facts.path("subject").asText();
        return switch (subject.substring(subject.lastIndexOf('/') + 1)) {
            case "no" -> "{\"allow\":false,\"reason\":\"not your room\"}";
            case "later" -> "{\"allow\":false,\"code\":\"not-ready\"}";
            case "cached" -> "{\"allow\":true,\"ttl\":60}";
            case "cached-no" -> "{\"allow\":false,\"ttl\":60}";
            case "wrong-code" -> "{\"allow\":false,\"code\":\"unauthorized\"}";
            case "wrong-type" -> "{\"allow\":1}";
            case "slow" -> slowly();
            case "held" -> released();
            default -> "{\"allow\":true,\"unknown\":[1]}";
        };
    }

    /** Answers when the test allows it. */
    private String released() {
        try {
            assertThat(release.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        return "{\"allow\":true}";
    }

    private String slowly() {
        mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
        try {
            TimeUnit.MILLISECONDS.sleep(300);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        underWay.decrementAndGet();
        return "{\"allow\":true}";
    }

    private static TestServer start(ApplicationServer application, String... more) {
        return TestServer.start(Stream.concat(
                        Stream.of(
                                "Entitlement=Http",
                                "Decide.Url=" + application.url(),
                                "Decide.Secret=" + SECRET,
                                "Decide.AnswerTime=10s",
                                "Entitlement.DecideTime=20s",
                                "Decide.Headers=Cookie",
                                "Subjects.10=/rooms/public/** history=10",
                                "Subjects.20=/rooms/** decisions=both",
                                "Subjects.30=/readers/* decisions=subscribe",
                                "Monitor=HTTP",
                                "MonitorHTTP.Listen=127.0.0.1:0",
                                "MonitorHTTP.Authentication=false"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    private static List<JsonNode> questions(ApplicationServer application) {
        return application.received.stream()
                .map(each -> Http.json(each.text()))
                .filter(each -> !each.path("type").asText().equals("connect"))
                .toList();
    }

    private static String denied(TestClient client) {
        return client.expect(Event.Failed.class).code();
    }

    private static long counter(TestServer server, String name) {
        return server.stats().path("counters").path(name).asLong();
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void theApplicationDecidesAboutSubscribesAndPublishes(WireEncoding encoding) {
        try (ApplicationServer application = ApplicationServer.open(this::answer);
                TestServer server = start(application);
                TestClient client = TestClient.open(server, encoding, USER);
                TestClient publisher = TestClient.open(server, encoding, USER)) {
            client.subscribe("/rooms/7");
            publisher.publish("/rooms/7", "x");
            assertThat(client.expect(Event.Message.class).data()).isEqualTo("x");
            List<JsonNode> questions = questions(application);
            assertThat(questions)
                    .extracting(each -> each.path("type").asText())
                    .containsExactly("subscribe", "publish");
            for (JsonNode each : questions) {
                assertThat(each.path("subject").asText()).isEqualTo("/rooms/7");
                assertThat(each.path("user").asText()).isEqualTo("ann");
                assertThat(each.path("session").asText()).isNotEmpty();
            }
            assertThat(application.received.getLast().headers().getFirst("webhook-signature"))
                    .startsWith("v1,");
            client.ask("/rooms/no");
            Event.Failed refused = client.expect(Event.Failed.class);
            assertThat(refused.code()).isEqualTo("subscribe-denied");
            assertThat(refused.reason()).isEqualTo("not your room");
            client.send("/rooms/no", "x");
            assertThat(denied(client)).isEqualTo("publish-denied");
            for (String each : List.of("later:not-ready", "wrong-code:internal", "wrong-type:internal")) {
                client.send("/rooms/" + each.substring(0, each.indexOf(':')), "x");
                assertThat(denied(client)).isEqualTo(each.substring(each.indexOf(':') + 1));
            }
        }
    }

    @Test
    void otherSubjectsAskNothing() {
        try (ApplicationServer application = ApplicationServer.open(this::answer);
                TestServer server = start(application);
                TestClient publisher = TestClient.open(server, WireEncoding.BINARY, USER);
                TestClient client = TestClient.open(server, WireEncoding.BINARY, USER)) {
            for (String subject : List.of("/free", "/rooms/public/1", "/rooms/public/*", "/free/**", "/rooms")) {
                client.subscribe(subject);
            }
            publisher.publish("/free", "x");
            publisher.publish("/rooms/public/1", "x");
            publisher.publish("/readers/1", "x");
            assertThat(questions(application)).isEmpty();
            for (String subject : List.of("/readers/1", "/rooms/*", "/**", "/*/7")) {
                client.ask(subject);
                client.await(Event.Subscribed.class);
            }
            assertThat(questions(application))
                    .extracting(each -> each.path("subject").asText())
                    .containsExactly("/readers/1", "/rooms/*", "/**", "/*/7");
            server.reload("Subjects.20=/rooms/** history=3");
            publisher.awaitReload();
            publisher.publish("/rooms/no", "x");
            assertThat(questions(application)).hasSize(4);
        }
    }

    @Test
    void anAnswerCountsForItsTimeAndTheSameSession() {
        try (ApplicationServer application = ApplicationServer.open(this::answer);
                TestServer server = start(application);
                TestClient client = TestClient.open(server, WireEncoding.JSON, USER);
                TestClient other = TestClient.open(server, WireEncoding.JSON, USER)) {
            for (int i = 0; i < 5; i++) {
                client.publish("/rooms/cached", "x");
                client.send("/rooms/cached-no", "x");
                assertThat(denied(client)).isEqualTo("publish-denied");
            }
            assertThat(questions(application)).hasSize(2);
            other.publish("/rooms/cached", "x");
            client.subscribe("/rooms/cached");
            assertThat(questions(application)).hasSize(4);
            application.behaviour = Behaviour.FAILS;
            client.send("/rooms/cached", "x");
            client.await(Event.Published.class);
            Await.until("cached decisions are counted", () -> counter(server, "decisionsCached") >= 9);
        }
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void theCommandsOfASessionKeepTheirOrder(WireEncoding encoding) {
        try (ApplicationServer application = ApplicationServer.open(this::answer);
                // With several lanes, answers about subjects of different lanes arrive in any order.
                TestServer server = start(application, "Workgroups=1", "IoThreads=1");
                TestClient client = TestClient.open(server, encoding, USER);
                TestClient other = TestClient.open(server, encoding, USER)) {
            List<Long> sent = new ArrayList<>();
            for (String subject : List.of("/rooms/held", "/free", "/rooms/cached", "/free")) {
                sent.add(client.send(subject, "x"));
            }
            Await.until("the application is asked", () -> questions(application).size() == 1);
            other.publish("/free", "meanwhile");
            assertThat(questions(application)).as("the further commands wait").hasSize(1);
            release.countDown();
            List<Long> answered = new ArrayList<>();
            for (int i = 0; i < sent.size(); i++) {
                answered.add(client.expect(Event.Published.class).id());
            }
            assertThat(answered).isEqualTo(sent);
        }
    }

    @Test
    void aCommandWithManySubjectsAsksAboutOneAfterTheOther() {
        try (ApplicationServer application = ApplicationServer.open(this::answer);
                TestServer server = start(application);
                TestClient client = TestClient.open(server, WireEncoding.BINARY, USER)) {
            List<byte[]> subjects = new ArrayList<>();
            for (String each : List.of("/rooms/1/slow", "/rooms/2/slow", "/rooms/3/slow")) {
                subjects.add(each.getBytes(StandardCharsets.UTF_8));
            }
            IntStream.range(0, 150).forEach(i -> subjects.add(("/rooms/a" + i).getBytes(StandardCharsets.UTF_8)));
            client.ask(new SubscribeRequest(subjects, null, 0, 0));
            for (int i = 0; i < subjects.size(); i++) {
                client.expect(Event.Subscribed.class);
            }
            assertThat(mostUnderWay).hasValue(1);
            assertThat(questions(application)).hasSize(subjects.size());
            client.publish("/free", "x");
        }
    }

    @Test
    void everyFaultRefusesTheCommandAndDelaysNoOtherSession() {
        try (ApplicationServer application = ApplicationServer.open(this::answer);
                TestServer server = start(application, "Decide.AnswerTime=2s");
                TestClient client = TestClient.open(server, WireEncoding.JSON, USER);
                TestClient other = TestClient.open(server, WireEncoding.JSON, USER)) {
            Behaviour.CODES_OF_DECISIONS.forEach((behaviour, code) -> {
                application.behaviour = behaviour;
                client.send("/rooms/7", "x");
                behaviour.requireQuickPublishes(other, "/free", Duration.ofSeconds(1));
                assertThat(denied(client)).as(behaviour.name()).isEqualTo(code);
                client.publish("/free", "the session goes on");
                // A success ends the sequence of failures.
                application.behaviour = Behaviour.ANSWERS;
                client.publish("/rooms/7", "y");
            });
            assertThat(application.elsewhere).hasValue(0);
            Await.until("no question waits", () -> counter(server, "decisionsWaiting") == 0);
        }
    }

    @Test
    void questionsOverTheBoundsAreRefusedAndClientsAreStillAdmitted() {
        try (ApplicationServer application = ApplicationServer.open(this::answer);
                TestServer server = start(
                        application, "Decide.AnswerTime=3s", "Decide.Parallel=1", "Decide.Waiting=1", "Workgroups=1")) {
            List<TestClient> clients = IntStream.range(0, 6)
                    .mapToObj(i -> TestClient.open(server, WireEncoding.JSON, USER))
                    .toList();
            application.behaviour = Behaviour.HANGS;
            clients.forEach(each -> each.send("/rooms/7", "x"));
            Await.until("four are refused", () -> counter(server, "decisionsRefused") == 4);
            application.behaviour = Behaviour.ANSWERS;
            // With common bounds this client would be refused with overloaded.
            try (TestClient late = TestClient.open(server, WireEncoding.JSON, USER[0], "Cookie: bob")) {
                late.publish("/free", "x");
            }
            List<String> codes = clients.stream()
                    .map(each -> each.next() instanceof Event.Failed failed ? failed.code() : "published")
                    .toList();
            assertThat(codes.stream().filter("overloaded"::equals)).hasSize(4);
            clients.forEach(TestClient::close);
        }
    }

    @Test
    void thePublishesThatWaitAreBoundedInBytes() {
        String data = "x".repeat(600_000);
        try (ApplicationServer application = ApplicationServer.open(this::answer);
                TestServer server = start(
                        application,
                        "Decide.AnswerTime=3s",
                        "Decide.WaitingBytes=1MB",
                        "MaxMessageSize=1MB",
                        "Workgroups=1",
                        "IoThreads=1");
                TestClient first = TestClient.open(server, WireEncoding.BINARY, USER);
                TestClient second = TestClient.open(server, WireEncoding.BINARY, USER)) {
            application.behaviour = Behaviour.HANGS;
            first.send("/rooms/7", data);
            Await.until("the first one waits", () -> questions(application).size() == 1);
            second.send("/rooms/7", data);
            assertThat(denied(second)).isEqualTo("overloaded");
            assertThat(denied(first)).isEqualTo("decide-timeout");
            application.behaviour = Behaviour.ANSWERS;
            second.publish("/rooms/7", data);
        }
    }

    @Test
    void aSessionThatEndsMeanwhileLeavesNothing() {
        try (ApplicationServer application = ApplicationServer.open(this::answer);
                TestServer server = start(application);
                TestClient other = TestClient.open(server, WireEncoding.JSON, USER)) {
            other.subscribe("/rooms/slow");
            try (TestClient client = TestClient.open(server, WireEncoding.JSON, USER)) {
                int before = questions(application).size();
                client.send("/rooms/slow", "lost");
                Await.until(
                        "the application is asked", () -> questions(application).size() == before + 1);
            }
            Await.until("no question waits", () -> counter(server, "decisionsWaiting") == 0);
            other.publish("/free", "x");
            other.publish("/rooms/slow", "kept");
            assertThat(other.expect(Event.Message.class).data()).isEqualTo("kept");
        }
    }

    @Test
    void requestsOverHttpAreDecidedToo() {
        try (ApplicationServer application = ApplicationServer.open(this::answer);
                TestServer server = start(application);
                Http http = Http.to(server.port())) {
            assertThat(http.post("/publish?subject=/rooms/7", "x", USER).status())
                    .isEqualTo(200);
            Http.Answer refused = http.post("/publish?subject=/rooms/no", "x", USER);
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.json().path("code").asText()).isEqualTo("publish-denied");
            assertThat(http.get("/history?subject=/rooms/7", USER).json().path("messages"))
                    .hasSize(1);
            assertThat(http.get("/history?subject=/rooms/no", USER).status()).isEqualTo(403);
            assertThat(http.get("/poll?subject=/rooms/no&wait=1s", USER).status())
                    .isEqualTo(403);
            assertThat(http.get("/poll?subject=/rooms/slow&subject=/rooms/no&wait=1s", USER)
                            .status())
                    .isEqualTo(403);
            assertThat(http.get("/poll?subject=/rooms/7&wait=10ms", USER).status())
                    .isEqualTo(200);
        }
    }
}
