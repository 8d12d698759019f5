package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that messages of a busy session share writes under MaxBatchingTime, without any other effect on the client. */
@Tag("complete")
final class BatchingOverSocketsTest {
    private static final int MESSAGES = 500;

    @ParameterizedTest
    @ValueSource(strings = {"auto", "false"})
    void messagesOfABusySessionShareWrites(String sockets) {
        try (TestServer server = server(sockets, "40 ms");
                TestClient follower = TestClient.open(server, WireEncoding.JSON);
                TestClient publisher = TestClient.open(server, WireEncoding.BINARY)) {
            follower.subscribe("/busy");
            long writesBefore = figure(server, "writesOut");
            List<String> sent = new ArrayList<>();
            // Each publish waits for its answer, so each has its own turn of the server's loop.
            for (int i = 0; i < MESSAGES; i++) {
                sent.add("m" + i);
                publisher.publish("/busy", "m" + i);
            }
            assertThat(follower.data(MESSAGES)).isEqualTo(sent);
            Await.until("every message is counted", () -> figure(server, "messagesOut") >= MESSAGES);
            long writes = figure(server, "writesOut") - writesBefore;
            assertThat(writes - MESSAGES)
                    .as("writes in addition to one per answer")
                    .isLessThan(MESSAGES / 4);
            assertThat(figure(server, "heldSessions")).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "false"})
    void anAnswerFlushesTheMessagesBeforeIt(String sockets) {
        try (TestServer server = server(sockets, "10 s");
                TestClient follower = TestClient.open(server, WireEncoding.JSON);
                TestClient publisher = TestClient.open(server, WireEncoding.BINARY)) {
            follower.subscribe("/own");
            publisher.publish("/own", "at once");
            assertThat(follower.data(1)).containsExactly("at once");
            publisher.publish("/own", "waits");
            Await.until("the message is held back", () -> figure(server, "heldSessions") == 1);
            follower.ping(7);
            assertThat(follower.data(1)).containsExactly("waits");
            assertThat(follower.expect(Event.Pong.class).id()).isEqualTo(7);
        }
    }

    private static TestServer server(String sockets, String batchingTime) {
        return TestServer.start(
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorHTTP.Authentication=false",
                "X.Native.Io=" + sockets,
                "Limit.PublishRate=0",
                "MaxBatchingTime=" + batchingTime);
    }

    private static long figure(TestServer server, String name) {
        return server.stats().path("counters").path(name).asLong();
    }
}
