package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With MaxBatchingTime messages of a busy session share their writes, and nothing else changes for its client. */
final class BatchingTest {
    private static final int MESSAGES = 500;

    @ParameterizedTest
    @ValueSource(strings = {"auto", "false"})
    void messagesOfABusySessionShareTheirWrites(String sockets) {
        try (ServerProcess server = server(sockets, "40 ms");
                Client follower = Client.open(server, Encoding.JSON);
                Client publisher = Client.open(server, Encoding.BINARY)) {
            follower.subscribe("/busy");
            long writesBefore = figure(server, "writesOut");
            List<String> sent = new ArrayList<>();
            // Each waits for its answer, so that each has a turn of the server's loop to itself.
            for (int i = 0; i < MESSAGES; i++) {
                sent.add("m" + i);
                publisher.publish("/busy", "m" + i);
            }
            assertThat(follower.data(MESSAGES)).isEqualTo(sent);
            Await.until("the last are counted", () -> figure(server, "messagesOut") >= MESSAGES);
            long writes = figure(server, "writesOut") - writesBefore;
            assertThat(writes - MESSAGES).as("beyond one for each answer").isLessThan(MESSAGES / 4);
            assertThat(figure(server, "heldSessions")).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "false"})
    void anAnswerTakesAlongTheMessagesBeforeIt(String sockets) {
        try (ServerProcess server = server(sockets, "10 s");
                Client follower = Client.open(server, Encoding.JSON);
                Client publisher = Client.open(server, Encoding.BINARY)) {
            follower.subscribe("/own");
            publisher.publish("/own", "at once");
            assertThat(follower.data(1)).containsExactly("at once");
            publisher.publish("/own", "waits");
            Await.until("it waits", () -> figure(server, "heldSessions") == 1);
            follower.ping(7);
            assertThat(follower.data(1)).containsExactly("waits");
            assertThat(follower.expect(Event.Pong.class).id()).isEqualTo(7);
        }
    }

    private static ServerProcess server(String sockets, String batchingTime) {
        return ServerProcess.start(
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorHTTP.Authentication=false",
                "X.Native.Io=" + sockets,
                "Limit.PublishRate=0",
                "MaxBatchingTime=" + batchingTime);
    }

    private static long figure(ServerProcess server, String name) {
        try (Http http = Http.to(server.monitorHttpPort())) {
            return http.get("/stats", "Connection: close")
                    .json()
                    .path("counters")
                    .path(name)
                    .asLong();
        }
    }
}
