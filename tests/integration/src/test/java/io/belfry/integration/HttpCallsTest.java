package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the answers of HTTP calls that request missing messages or invalid input. */
final class HttpCallsTest {
    private static final int KEPT = 5;

    private static TestServer server;

    private Http http;

    @BeforeAll
    static void start() {
        server = TestServer.start(
                "CacheSize=" + KEPT,
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorHTTP.Authentication=false");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        http = Http.to(server.port());
    }

    @AfterEach
    void close() {
        http.close();
    }

    /** Publishes this number of messages; returns the position of the first. */
    private String publish(String subject, int count) {
        String first = "";
        for (int i = 0; i < count; i++) {
            JsonNode answer = http.post("/publish?subject=" + subject, "x").json();
            first = first.isEmpty() ? answer.path("epoch").asText() + ":" + answer.path("seq") : first;
        }
        return first;
    }

    @Test
    void aHistoryAfterALostPositionBeginsWithTheGap() {
        String first = publish("/calls/lost", KEPT + 3);
        JsonNode messages =
                http.get("/history?subject=/calls/lost&from=" + first).json().path("messages");
        assertThat(messages).hasSize(KEPT + 1);
        JsonNode gap = messages.get(0);
        assertThat(gap.path("op").asText()).isEqualTo("gap");
        assertThat(gap.path("from").asText()).isEqualTo(first);
        assertThat(gap.path("reason").asText()).isEqualTo("history-gone");
        JsonNode next = messages.get(1);
        assertThat(gap.path("to").asText())
                .isEqualTo(next.path("epoch") + ":" + (next.path("seq").asLong() - 1));
        assertThat(next.path("type").asText()).isEqualTo("recovered");
    }

    @Test
    void aHistoryAfterAPositionOfAnotherEpochBeginsWithTheGap() {
        publish("/calls/foreign", 2);
        JsonNode messages =
                http.get("/history?subject=/calls/foreign&from=7:1").json().path("messages");
        assertThat(messages.findValuesAsText("op")).containsExactly("gap", "message", "message");
        assertThat(messages.get(0).path("reason").asText()).isEqualTo("epoch-changed");
        JsonNode unknown =
                http.get("/history?subject=/calls/nobody&from=7:1").json().path("messages");
        assertThat(unknown.findValuesAsText("op")).containsExactly("gap");
    }

    @Test
    void aHistoryAfterAKeptPositionHasNoGap() {
        String first = publish("/calls/kept", 3);
        JsonNode messages =
                http.get("/history?subject=/calls/kept&from=" + first).json().path("messages");
        assertThat(messages.findValuesAsText("op")).containsExactly("message", "message");
    }

    @Test
    void aPublishToAPatternHasItsOwnCode() {
        assertRefused(http.post("/publish?subject=/calls/*", "x"), "wildcard-not-allowed");
        assertRefused(http.post("/publish?subject=calls", "x"), "bad-subject");
    }

    @Test
    void aTooLongMsgIdIsABadRequest() {
        assertThat(http.post("/publish?subject=/calls/id&msgId=" + "i".repeat(64), "x")
                        .status())
                .isEqualTo(200);
        assertRefused(http.post("/publish?subject=/calls/id&msgId=" + "i".repeat(65), "x"), "bad-request");
    }

    @Test
    void aPollOfAPatternRefusesAPosition() {
        assertRefused(http.get("/poll?subject=/calls/*&from=7:1&wait=1s"), "wildcard-not-allowed");
        assertRefused(http.get("/poll?subject=/calls/a&subject=/calls/b&from=7:1&wait=1s"), "bad-position");
        assertThat(http.get("/poll?subject=/calls/none/*&wait=10ms").status()).isEqualTo(200);
    }

    /** Half of the subjects belong to the other lane, whose answer arrives after a wait of 0. */
    @Test
    void aPollThatDoesNotWaitHasAPosition() {
        for (int i = 0; i < 50; i++) {
            JsonNode answer = http.get("/poll?wait=0&subject=/calls/quiet/" + i).json();
            assertThat(answer.path("seq").asLong(-1)).as("%s", answer).isZero();
            assertThat(answer.path("messages")).isEmpty();
        }
    }

    @Test
    void aRepeatedParameterIsRefused() {
        assertRefused(http.post("/publish?subject=/calls/a&retain=true&retain=false", "x"), "bad-request");
        assertRefused(http.post("/publish?subject=/calls/a&msgId=1&msgId=2", "x"), "bad-request");
        assertRefused(http.get("/poll?subject=/calls/a&wait=1ms&wait=60s"), "bad-request");
        assertRefused(http.get("/subscribe?subject=/calls/a&from=1:1&%66rom=2:2"), "bad-request");
        assertThat(http.get("/poll?subject=/calls/a&subject=/calls/b&wait=1ms").status())
                .isEqualTo(200);
    }

    @Tag("complete")
    @Test
    void unreadAnswersStopTheMakingOfFurtherOnes() {
        String large = "x".repeat(60_000);
        for (int i = 0; i < KEPT; i++) {
            assertThat(http.post("/publish?subject=/calls/large", large).status())
                    .isEqualTo(200);
        }
        int requests = 400;
        try (Http silent = new Http(RawConnection.to("127.0.0.1", server.port(), 8192))) {
            for (int i = 0; i < requests; i++) {
                silent.raw().send(Http.text("GET", "/history?subject=/calls/large&count=" + KEPT, ""));
            }
            Await.until("the first answers are queued", () -> figure("queuedBytes") > 0);
            long before = figure("bytesIn");
            http.get("/health/live");
            Await.until("the counters are sampled again", () -> figure("bytesIn") > before);
            assertThat(figure("queuedBytes")).isLessThan(2L * KEPT * large.length());
            for (int i = 0; i < requests; i++) {
                assertThat(silent.answer().json().path("messages").size()).isEqualTo(KEPT);
            }
        }
    }

    @Test
    void aLongPollAnswerIsTruncatedAndTheNextPollContinuesIt() {
        try (TestServer keeping = TestServer.start();
                Http polls = Http.to(keeping.port())) {
            String large = "x".repeat(60_000);
            JsonNode at = polls.post("/publish?subject=/calls/long", large).json();
            for (int i = 1; i < 10; i++) {
                polls.post("/publish?subject=/calls/long", large);
            }
            for (int expected : new int[] {2, 2, 2, 2, 1, 0}) {
                JsonNode answer = polls.get("/poll?wait=0&subject=/calls/long&from="
                                + at.path("epoch").asText() + ":" + at.path("seq"))
                        .json();
                assertThat(answer.path("messages")).hasSize(expected);
                assertThat(answer.path("truncated").asBoolean()).isEqualTo(expected == 2);
                assertThat(answer.path("seq").asLong()).isEqualTo(at.path("seq").asLong() + expected);
                at = answer;
            }
        }
    }

    private static long figure(String name) {
        return server.stats().path("counters").path(name).asLong();
    }

    private static void assertRefused(Http.Answer answer, String code) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo(code);
    }
}
