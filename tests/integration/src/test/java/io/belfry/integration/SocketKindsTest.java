package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.ListenConfig;
import io.belfry.server.transport.NativeTransport;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the transports over each kind of socket. Where the kernel lacks a kind, the start must fail with a clear
 * message.
 */
final class SocketKindsTest {
    private static final int MESSAGES = 1000;
    private static final int RECEIVE_BUFFER = 4096;

    static String setting(ListenConfig.NativeIo kind) {
        return "X.Native.Io="
                + switch (kind) {
                    case AUTO -> "auto";
                    case EPOLL -> "true";
                    case NIO -> "false";
                    case IO_URING -> "io_uring";
                    case CHANNELS -> "channels";
                };
    }

    static void assumeItIsHere(ListenConfig.NativeIo kind) {
        try {
            NativeTransport.of(kind);
        } catch (IllegalStateException missing) {
            assertThat(missing).hasMessageContaining(setting(kind).replace("=", " = "));
            Assumptions.abort(missing.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource
    void messagesAreExchangedByWebSocketStreamAndPost(ListenConfig.NativeIo kind) {
        assumeItIsHere(kind);
        try (TestServer server = TestServer.start(setting(kind));
                TestClient json = TestClient.open(server, WireEncoding.JSON);
                TestClient binary = TestClient.open(server, WireEncoding.BINARY);
                Http stream = Http.to(server.port());
                Http post = Http.to(server.port())) {
            json.subscribe("/kind");
            binary.subscribe("/kind");
            stream.stream("/subscribe?subject=/kind", "Accept: application/x-ndjson");
            Http.LineSource lines = stream.lines();
            assertThat(lines.next()).contains("subscribed");
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(post.post("/publish?subject=/kind", "m" + i).status())
                        .isEqualTo(200);
            }
            List<String> all =
                    IntStream.range(0, MESSAGES).mapToObj(i -> "m" + i).toList();
            assertThat(json.data(MESSAGES)).isEqualTo(all);
            assertThat(binary.data(MESSAGES)).isEqualTo(all);
            for (String each : all) {
                assertThat(lines.next()).contains("\"data\":\"" + each + "\"");
            }
        }
    }

    @Tag("complete")
    @ParameterizedTest
    @EnumSource
    void aStalledReaderResumesWithoutAHole(ListenConfig.NativeIo kind) {
        assumeItIsHere(kind);
        String data = "d".repeat(8000);
        try (TestServer server =
                        TestServer.start(setting(kind), "SlowConsumer.MaxBytes=100 MB", "Limit.PublishRate=0");
                TestClient slow = TestClient.over(
                        RawConnection.to("127.0.0.1", server.port(), RECEIVE_BUFFER), WireEncoding.BINARY);
                TestClient publisher = TestClient.open(server, WireEncoding.JSON)) {
            slow.subscribe("/stalled");
            for (int i = 0; i < MESSAGES; i++) {
                publisher.publish("/stalled", i + " " + data);
            }
            List<String> heard = slow.data(MESSAGES);
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(heard.get(i)).startsWith(i + " ");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDrainNotifiesClientsOverEverySocketKind(ListenConfig.NativeIo kind) {
        assumeItIsHere(kind);
        try (TestServer server = TestServer.start(setting(kind));
                TestClient client = TestClient.open(server, WireEncoding.JSON)) {
            client.subscribe("/kind");
            server.drain(1);
            assertThat(client.expect(Event.Reconnect.class).reason()).isEqualTo("drain");
            assertThat(client.expect(Event.Closed.class).code()).isEqualTo(1001);
        }
    }
}
