package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the answer to a WebSocket handshake and the first event of the session are sent by one write. */
final class FirstWriteTest {
    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void aHandshakeIsAnsweredByOneWrite(WireEncoding encoding) {
        try (TestServer server = TestServer.start(
                        "Monitor=HTTP", "MonitorHTTP.Listen=127.0.0.1:0", "MonitorHTTP.Authentication=false");
                TestClient client = TestClient.open(server, encoding)) {
            client.ping(1);
            client.expect(Event.Pong.class);
            Await.until("both answers are counted", () -> writes(server) >= 2);
            assertThat(writes(server))
                    .as("the answers to the handshake and to the ping")
                    .isEqualTo(2);
        }
    }

    private static long writes(TestServer server) {
        return server.stats().at("/counters/writesOut").asLong();
    }
}
