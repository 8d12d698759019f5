package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that a frame which violates RFC 6455 or a size limit closes its session once with the right close code. */
final class FrameErrorsTest {
    private static final byte[] PING = "{\"op\":\"ping\",\"id\":1}".getBytes(StandardCharsets.UTF_8);

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start("MaxMessageSize=1024", "SlowConsumer.MaxBytes=64 KB");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void assertCloses(int code, String reason, byte[]... bytes) {
        try (SocketFrames frames = SocketFrames.open(server.port())) {
            for (byte[] part : bytes) {
                frames.raw().send(part);
            }
            SocketFrames.Frame close = frames.close(1);
            assertThat(close.closeCode()).isEqualTo(code);
            assertThat(close.closeReason()).startsWith(reason);
            assertThat(frames.raw().isEnded())
                    .as("connection ends after the close frame")
                    .isTrue();
        }
    }

    @Test
    void aReservedBitIsAProtocolError() {
        assertCloses(
                1002,
                "protocol-error",
                SocketFrames.frame(SocketFrames.FIN | SocketFrames.RSV1 | SocketFrames.TEXT, PING));
    }

    @Test
    void aReservedOpcodeIsAProtocolError() {
        assertCloses(1002, "protocol-error", SocketFrames.frame(SocketFrames.FIN | 0x3, PING));
        assertCloses(1002, "protocol-error", SocketFrames.frame(SocketFrames.FIN | 0xB, PING));
    }

    @Test
    void anUnmaskedFrameIsAProtocolError() {
        assertCloses(1002, "protocol-error", new byte[] {(byte) 0x81, 0x02, '{', '}'});
    }

    @Test
    void aFragmentedOrLongControlFrameIsAProtocolError() {
        assertCloses(1002, "protocol-error", SocketFrames.frame(SocketFrames.PING, PING));
        assertCloses(1002, "protocol-error", SocketFrames.frame(SocketFrames.FIN | SocketFrames.PING, new byte[126]));
    }

    @Test
    void aStrayContinuationIsAProtocolError() {
        assertCloses(1002, "protocol-error", SocketFrames.frame(SocketFrames.FIN | SocketFrames.CONTINUATION, PING));
    }

    @Test
    void aMessageInsideAFragmentedMessageIsAProtocolError() {
        assertCloses(
                1002,
                "protocol-error",
                SocketFrames.frame(SocketFrames.TEXT, PING),
                SocketFrames.frame(SocketFrames.FIN | SocketFrames.TEXT, PING));
    }

    @Test
    void invalidUtf8ClosesTheSessionBeforeTheMessageEnds() {
        assertCloses(1007, "bad-utf8", SocketFrames.frame(SocketFrames.TEXT, new byte[] {'{', (byte) 0xC3, 0x28}));
    }

    @Test
    void aFrameThatAnnouncesTooManyBytesIsRefusedAtOnce() {
        byte[] head = {(byte) 0x81, (byte) 0xFF, 0, 0, 0, 0, 0x7F, 0, 0, 0, 1, 2, 3, 4};
        assertCloses(1009, "message-too-large", head);
    }

    @Test
    void fragmentsOverTheMessageLimitAreRefused() {
        try (SocketFrames frames = SocketFrames.open(server.port())) {
            frames.send(SocketFrames.TEXT, new byte[1024]);
            for (int i = 0; i < 64; i++) {
                frames.send(SocketFrames.CONTINUATION, new byte[1024]);
            }
            assertThat(frames.close(1).closeCode()).isEqualTo(1009);
        }
    }

    @Test
    void aPingBetweenFragmentsIsAnswered() {
        try (SocketFrames frames = SocketFrames.open(server.port())) {
            frames.send(SocketFrames.TEXT, new byte[] {PING[0]});
            frames.send(SocketFrames.FIN | SocketFrames.PING, new byte[] {7});
            for (int i = 1; i < PING.length - 1; i++) {
                frames.send(SocketFrames.CONTINUATION, new byte[] {PING[i]});
            }
            frames.send(SocketFrames.FIN | SocketFrames.CONTINUATION, new byte[] {PING[PING.length - 1]});
            SocketFrames.Frame pong = frames.next();
            assertThat(pong.opcode()).isEqualTo(SocketFrames.PONG);
            assertThat(pong.payload().get(0)).isEqualTo((byte) 7);
            assertThat(frames.next().text()).startsWith("{\"op\":\"pong\",\"id\":1,\"clock\":");
        }
    }

    @Test
    void aCommandSentByteByByteIsAccepted() {
        try (SocketFrames frames = SocketFrames.open(server.port())) {
            for (byte next : SocketFrames.frame(SocketFrames.FIN | SocketFrames.TEXT, PING)) {
                frames.raw().send(new byte[] {next});
            }
            assertThat(frames.next().text()).startsWith("{\"op\":\"pong\",\"id\":1,\"clock\":");
        }
    }

    @Test
    void aCloseIsAnsweredWithTheSameCode() {
        assertCloses(
                1000, "", SocketFrames.frame(SocketFrames.FIN | SocketFrames.CLOSE, new byte[] {0x03, (byte) 0xE8}));
        assertCloses(
                4999, "", SocketFrames.frame(SocketFrames.FIN | SocketFrames.CLOSE, new byte[] {0x13, (byte) 0x87}));
        assertCloses(1000, "", SocketFrames.frame(SocketFrames.FIN | SocketFrames.CLOSE, new byte[0]));
    }

    @Test
    void aReservedCloseCodeIsAProtocolError() {
        assertCloses(1002, "protocol-error", SocketFrames.frame(SocketFrames.FIN | SocketFrames.CLOSE, new byte[] {
            0x03, (byte) 0xEC
        }));
        assertCloses(
                1002, "protocol-error", SocketFrames.frame(SocketFrames.FIN | SocketFrames.CLOSE, new byte[] {0x03}));
    }

    @Test
    void anotherWebSocketVersionIsAnsweredWith13() {
        for (String header : List.of("Sec-WebSocket-Version: 8", "Sec-WebSocket-Version: 14")) {
            try (Http http = Http.to(server.port())) {
                Http.Answer answer = http.get(
                        "/",
                        "Connection: Upgrade",
                        "Upgrade: websocket",
                        header,
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
                assertThat(answer.status()).isEqualTo(426);
                assertThat(answer.code()).isEqualTo("upgrade-required");
                assertThat(answer.headers()).containsEntry("sec-websocket-version", "13");
            }
        }
    }

    @Test
    void aPlainRequestOfTheRootRequiresAnUpgrade() {
        try (Http http = Http.to(server.port())) {
            Http.Answer answer = http.get("/");
            assertThat(answer.status()).isEqualTo(426);
            assertThat(answer.code()).isEqualTo("upgrade-required");
        }
    }

    @Test
    void theFirstKnownSubprotocolOfferedIsChosen() {
        assertThat(agreed("Sec-WebSocket-Protocol: soap, belfry.binary.v1, belfry.json.v1"))
                .isEqualTo("belfry.binary.v1");
        assertThat(agreed("Sec-WebSocket-Protocol: soap", "Sec-WebSocket-Protocol: belfry.json.v1"))
                .isEqualTo("belfry.json.v1");
        assertThat(SocketFrames.ask(server.port()).headers()).doesNotContainKey("sec-websocket-protocol");
    }

    @Test
    void aClientThatOffersNoKnownSubprotocolIsRefused() {
        Http.Answer answer = SocketFrames.ask(server.port(), "Sec-WebSocket-Protocol: soap");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("bad-request");
    }

    private static String agreed(String... headers) {
        Http.Answer answer = SocketFrames.ask(server.port(), headers);
        assertThat(answer.status()).isEqualTo(101);
        return answer.headers().getOrDefault("sec-websocket-protocol", "none");
    }
}
