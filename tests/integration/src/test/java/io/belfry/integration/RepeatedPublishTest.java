package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.Position;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a publish with a msgId is stored once, however often it is sent over any connection, transport and lane.
 */
final class RepeatedPublishTest {
    private static final int ROUNDS = 100;

    @TempDir
    private Path folder;

    /** Connections are spread over the lanes, so a test reaches the subject from its own lane and from another one. */
    private TestServer server(String history) {
        return TestServer.start("BenchmarkMode=true", "History=" + history, "History.Folder=" + folder);
    }

    private static Position overHttp(Http http, String subject, String data, String msgId) {
        JsonNode answer = http.post("/publish?subject=" + subject + "&msgId=" + msgId, data)
                .json();
        return new Position(answer.path("epoch").asLong(-1), answer.path("seq").asLong(-1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "disk"})
    void aRepeatedPublishIsAnsweredWithTheFirstPosition(String history) {
        try (TestServer server = server(history);
                TestClient reader = TestClient.open(server, WireEncoding.JSON);
                TestClient first = TestClient.open(server, WireEncoding.BINARY)) {
            reader.subscribe("/once");
            Position at = first.retain("/once", "data", "m-1");
            for (int i = 0; i < 4; i++) {
                try (TestClient again = TestClient.open(server, i % 2 == 0 ? WireEncoding.JSON : WireEncoding.BINARY);
                        Http http = Http.to(server.port())) {
                    assertThat(again.retain("/once", "data", "m-1")).isEqualTo(at);
                    assertThat(overHttp(http, "/once", "data", "m-1")).isEqualTo(at);
                    assertThat(overHttp(http, "/other", "data", "m-1"))
                            .as("same id on another subject")
                            .isEqualTo(new Position(at.epoch(), 1));
                }
            }
            first.publish("/once", "last");
            assertThat(reader.data(2)).containsExactly("data", "last");
        }
    }

    /**
     * The first connection is cut before its answer. Its publish may arrive before the repeat, after the repeat, or
     * never.
     */
    @ParameterizedTest
    @ValueSource(strings = {"memory", "disk"})
    void aRepeatBeforeTheFirstAnswerIsKeptOnceAndInOrder(String history) {
        List<String> expected = new ArrayList<>();
        try (TestServer server = server(history);
                TestClient reader = TestClient.open(server, WireEncoding.BINARY);
                Http http = Http.to(server.port())) {
            reader.subscribe("/unanswered");
            for (int round = 0; round < ROUNDS; round++) {
                String data = Integer.toString(round);
                expected.add(data);
                try (TestClient cut = TestClient.open(server, WireEncoding.BINARY);
                        TestClient next = TestClient.open(server, WireEncoding.JSON)) {
                    cut.send(CommandHandler.NO_ID, "/unanswered", data, false, "m-" + round);
                    if (round % 2 == 0) {
                        cut.frames().raw().reset();
                    }
                    next.send(1, "/unanswered", data, false, "m-" + round);
                    Position overHttp = overHttp(http, "/unanswered", data, "m-" + round);
                    assertThat(next.expect(Event.Published.class).at()).isEqualTo(overHttp);
                }
            }
            assertThat(reader.data(ROUNDS)).isEqualTo(expected);
            List<String> kept = new ArrayList<>();
            http.get("/history?subject=/unanswered&count=1000")
                    .json()
                    .path("messages")
                    .forEach(message -> kept.add(message.path("data").asText()));
            assertThat(kept).isEqualTo(expected);
        }
    }
}
