package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that unread answers of megabytes share one memory limit. */
final class AnswerMemoryLimitTest {
    private static final int MESSAGES = 240;
    private static final int NARROW = 4096;
    private static final String POLL = "/poll?subject=/*";
    private static final String HISTORY = "/history?subject=/large&count=" + MESSAGES;

    @Test
    void aRequestIsRefusedWhileUnreadAnswersFillTheLimit() {
        try (TestServer server = TestServer.start("Limit.AnswerBytes=1 MB", "Workgroups=1", "IoThreads=1");
                Http http = Http.to(server.port())) {
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(http.post("/publish?subject=/large", "x".repeat(60_000))
                                .status())
                        .isEqualTo(200);
            }
            try (RawConnection unread = RawConnection.to("127.0.0.1", server.port(), NARROW)) {
                unread.send(Http.text("GET", HISTORY, ""));
                // The first bytes arrive when the answer is complete. Before that, a further request could cut the
                // answer short.
                assertThat(unread.line()).contains("200");
                Http.Answer refused = http.get(HISTORY);
                assertThat(refused.code()).isEqualTo("overloaded");
                assertThat(refused.headers()).containsEntry("retry-after", "1");
                assertThat(http.get("/health/live").status()).isEqualTo(200);
            }
            Await.until(
                    "the memory of the unread answer is free",
                    () -> http.get(HISTORY).status() == 200);
            Http.Answer alone = http.get(HISTORY);
            assertThat(alone.json().path("messages")).hasSize(MESSAGES);
            assertThat(alone.json().has("truncated")).isFalse();
        }
    }

    /** The unread answer leaves less memory than one message needs, so the poll cannot have an answer yet. */
    @Tag("complete")
    @Test
    void aPollOfAPatternIsRepeatedWhenAnUnreadAnswerTakesTheMemory() {
        try (TestServer server = TestServer.start("Limit.AnswerBytes=1 MB", "Workgroups=1", "IoThreads=1");
                Http http = Http.to(server.port())) {
            String start = http.get(POLL + "&wait=0").json().path("at").asText();
            for (int i = 0; i < MESSAGES; i++) {
                http.post("/publish?subject=/large", "x".repeat(60_000));
            }
            try (RawConnection unread = RawConnection.to("127.0.0.1", server.port(), NARROW)) {
                unread.send(Http.text("GET", "/history?subject=/large&count=17", ""));
                assertThat(unread.line()).contains("200");
                Http.Answer refused = http.get(POLL + "&from=" + start);
                assertThat(refused.code()).isEqualTo("overloaded");
                assertThat(refused.headers()).containsEntry("retry-after", "1");
            }
            Await.until(
                    "the memory of the unread answer is free",
                    () -> http.get(POLL + "&from=" + start).status() == 200);
            assertThat(messagesAfter(start, http)).isEqualTo(MESSAGES);
        }
    }

    /** Polls until an answer is empty, and returns the number of messages. */
    private static int messagesAfter(String start, Http http) {
        int messages = 0;
        String from = start;
        while (true) {
            JsonNode answer = http.get(POLL + "&wait=0&from=" + from).json();
            if (answer.path("messages").isEmpty()) {
                return messages;
            }
            messages += answer.path("messages").size();
            from = answer.path("at").asText();
        }
    }
}
