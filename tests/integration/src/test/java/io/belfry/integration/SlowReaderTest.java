package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A session that reads nothing is ended with its reason; nobody else waits for it. */
final class SlowReaderTest {
    private static final int RECEIVE_BUFFER = 4096;
    private static final int MESSAGES_MAX = 20_000;

    @ParameterizedTest
    @EnumSource
    void whoStopsReadingIsDisconnectedAndTheOthersGoOn(Encoding encoding) {
        String data = "d".repeat(8000);
        try (ServerProcess server = ServerProcess.start(
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false",
                        "Limit.PublishRate=0",
                        "SlowConsumer.MaxBytes=256 KB");
                Client slow = Client.over(RawConnection.to("127.0.0.1", server.port(), RECEIVE_BUFFER), encoding);
                Client quick = Client.open(server, encoding);
                Client publisher = Client.open(server, encoding)) {
            slow.subscribe("/stream");
            quick.subscribe("/stream");
            int sent = 0;
            long closed = 0;
            while (closed == 0 && sent < MESSAGES_MAX) {
                for (int i = 0; i < 100; i++) {
                    publisher.publish("/stream", sent + " " + data);
                    assertThat(quick.expect(Event.Message.class).data()).startsWith(sent + " ");
                    sent++;
                }
                closed = slowConsumers(server);
            }
            assertThat(closed).isEqualTo(1);
            assertThat(slow.end()).isIn(4008, Client.CUT);
            publisher.publish("/stream", "last");
            assertThat(quick.data(1)).containsExactly("last");
        }
    }

    private static long slowConsumers(ServerProcess server) {
        try (Http http = Http.to(server.monitorHttpPort())) {
            return http.get("/stats", "Connection: close")
                    .json()
                    .path("closes")
                    .path("slow-consumer")
                    .asLong();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoReadsNothingForTheGraceIsDisconnected(Encoding encoding) {
        String data = "d".repeat(30_000);
        try (ServerProcess server = ServerProcess.start(
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false",
                        "SlowConsumer.MaxBytes=100 MB",
                        "SlowConsumer.Grace=500 ms",
                        "CacheSize=10000");
                Client slow = Client.over(RawConnection.to("127.0.0.1", server.port(), RECEIVE_BUFFER), encoding);
                Client publisher = Client.open(server, encoding)) {
            slow.subscribe("/grace");
            for (int i = 0; i < 400; i++) {
                publisher.publish("/grace", i + " " + data);
            }
            Await.until("the grace is over", () -> slowConsumers(server) == 1);
            publisher.publish("/grace", "after");
        }
    }
}
