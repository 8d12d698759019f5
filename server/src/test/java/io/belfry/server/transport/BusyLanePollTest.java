package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Polls a pattern while one of two event loops does not answer. */
class BusyLanePollTest {
    /** More than a poll waits for a lane, and less than a connection waits for its client. */
    private static final long BUSY_NANOS = 3_000_000_000L;

    /** The system divides connections between the loops; that all of these are with the busy one is improbable. */
    private static final int CLIENTS = 24;

    @Test
    void aPollIsRefusedInsteadOfAnsweredWithoutItsPosition() throws IOException {
        try (ProtocolServer server = new ProtocolServer(List.of(), "IoThreads=2")) {
            server.onLoop(1, () -> LockSupport.parkNanos(BUSY_NANOS));
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Socket client = server.connect();
                client.getOutputStream()
                        .write("GET /poll?subject=/a/*&wait=0ms HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                clients.add(client);
            }
            int refused = 0;
            for (Socket client : clients) {
                String answer = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
                if (answer.startsWith("HTTP/1.1 503")) {
                    refused++;
                    assertThat(answer.toLowerCase(java.util.Locale.ROOT))
                            .contains("\"code\":\"overloaded\"", "retry-after: 1");
                } else {
                    assertThat(answer).startsWith("HTTP/1.1 200").contains("\"at\":\"");
                }
                client.close();
            }
            assertThat(refused).isPositive();
        }
    }
}
