package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What breaks RFC 6455 or the bounds of a frame ends that session with the right close code, once, and no other. */
final class FrameErrorsTest {
    private static final byte[] PING = "{\"op\":\"ping\",\"id\":1}".getBytes(StandardCharsets.UTF_8);

    private static ServerProcess server;

    @BeforeAll
    static void start() {
        server = ServerProcess.start("MaxMessageSize=1024", "SlowConsumer.MaxBytes=64 KB");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void assertCloses(int code, String reason, byte[]... bytes) {
        try (Frames frames = Frames.open(server.port())) {
            for (byte[] part : bytes) {
                frames.raw().send(part);
            }
            Frames.Frame close = frames.close(1);
            assertThat(close.closeCode()).isEqualTo(code);
            assertThat(close.closeReason()).startsWith(reason);
            assertThat(frames.raw().isEnded()).as("nothing follows the close").isTrue();
        }
    }

    @Test
    void aReservedBitIsAProtocolError() {
        assertCloses(1002, "protocol-error", Frames.frame(Frames.FIN | Frames.RSV1 | Frames.TEXT, PING));
    }

    @Test
    void aReservedOpcodeIsAProtocolError() {
        assertCloses(1002, "protocol-error", Frames.frame(Frames.FIN | 0x3, PING));
        assertCloses(1002, "protocol-error", Frames.frame(Frames.FIN | 0xB, PING));
    }

    @Test
    void anUnmaskedFrameIsAProtocolError() {
        assertCloses(1002, "protocol-error", new byte[] {(byte) 0x81, 0x02, '{', '}'});
    }

    @Test
    void aControlFrameInPiecesOrTooLongIsAProtocolError() {
        assertCloses(1002, "protocol-error", Frames.frame(Frames.PING, PING));
        assertCloses(1002, "protocol-error", Frames.frame(Frames.FIN | Frames.PING, new byte[126]));
    }

    @Test
    void aContinuationOfNothingIsAProtocolError() {
        assertCloses(1002, "protocol-error", Frames.frame(Frames.FIN | Frames.CONTINUATION, PING));
    }

    @Test
    void aMessageWithinAMessageIsAProtocolError() {
        assertCloses(
                1002, "protocol-error", Frames.frame(Frames.TEXT, PING), Frames.frame(Frames.FIN | Frames.TEXT, PING));
    }

    @Test
    void textThatIsNotUtf8EndsTheSessionBeforeTheMessageIsComplete() {
        assertCloses(1007, "bad-utf8", Frames.frame(Frames.TEXT, new byte[] {'{', (byte) 0xC3, 0x28}));
    }

    @Test
    void aFrameThatAnnouncesMoreThanIsAllowedIsRefusedBeforeItCame() {
        byte[] head = {(byte) 0x81, (byte) 0xFF, 0, 0, 0, 0, 0x7F, 0, 0, 0, 1, 2, 3, 4};
        assertCloses(1009, "message-too-large", head);
    }

    @Test
    void fragmentsThatTogetherAreMoreThanIsAllowedAreRefused() {
        try (Frames frames = Frames.open(server.port())) {
            frames.send(Frames.TEXT, new byte[1024]);
            for (int i = 0; i < 64; i++) {
                frames.send(Frames.CONTINUATION, new byte[1024]);
            }
            assertThat(frames.close(1).closeCode()).isEqualTo(1009);
        }
    }

    @Test
    void fragmentsOfACommandAreJoinedAndAPingBetweenThemIsAnswered() {
        try (Frames frames = Frames.open(server.port())) {
            frames.send(Frames.TEXT, new byte[] {PING[0]});
            frames.send(Frames.FIN | Frames.PING, new byte[] {7});
            for (int i = 1; i < PING.length - 1; i++) {
                frames.send(Frames.CONTINUATION, new byte[] {PING[i]});
            }
            frames.send(Frames.FIN | Frames.CONTINUATION, new byte[] {PING[PING.length - 1]});
            Frames.Frame pong = frames.next();
            assertThat(pong.opcode()).isEqualTo(Frames.PONG);
            assertThat(pong.payload().get(0)).isEqualTo((byte) 7);
            assertThat(frames.next().text()).startsWith("{\"op\":\"pong\",\"id\":1,\"clock\":");
        }
    }

    @Test
    void aCommandThatComesByteByByteIsUnderstood() {
        try (Frames frames = Frames.open(server.port())) {
            for (byte next : Frames.frame(Frames.FIN | Frames.TEXT, PING)) {
                frames.raw().send(new byte[] {next});
            }
            assertThat(frames.next().text()).startsWith("{\"op\":\"pong\",\"id\":1,\"clock\":");
        }
    }

    @Test
    void aCloseIsAnsweredWithItsCode() {
        assertCloses(1000, "", Frames.frame(Frames.FIN | Frames.CLOSE, new byte[] {0x03, (byte) 0xE8}));
        assertCloses(4999, "", Frames.frame(Frames.FIN | Frames.CLOSE, new byte[] {0x13, (byte) 0x87}));
        assertCloses(1000, "", Frames.frame(Frames.FIN | Frames.CLOSE, new byte[0]));
    }

    @Test
    void aCloseCodeThatNobodyMaySendIsAProtocolError() {
        assertCloses(1002, "protocol-error", Frames.frame(Frames.FIN | Frames.CLOSE, new byte[] {0x03, (byte) 0xEC}));
        assertCloses(1002, "protocol-error", Frames.frame(Frames.FIN | Frames.CLOSE, new byte[] {0x03}));
    }

    @Test
    void aHandshakeThatIsNotWebSocketVersion13IsToldWhich() {
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
    void aPlainRequestOfTheRootIsToldToUpgrade() {
        try (Http http = Http.to(server.port())) {
            Http.Answer answer = http.get("/");
            assertThat(answer.status()).isEqualTo(426);
            assertThat(answer.code()).isEqualTo("upgrade-required");
        }
    }

    @Test
    void theFirstKnownSubprotocolOfThoseOfferedIsTaken() {
        assertThat(agreed("Sec-WebSocket-Protocol: soap, belfry.binary.v1, belfry.json.v1"))
                .isEqualTo("belfry.binary.v1");
        assertThat(agreed("Sec-WebSocket-Protocol: soap", "Sec-WebSocket-Protocol: belfry.json.v1"))
                .isEqualTo("belfry.json.v1");
        assertThat(Frames.ask(server.port()).headers()).doesNotContainKey("sec-websocket-protocol");
    }

    @Test
    void aClientThatOffersNoKnownSubprotocolIsRefused() {
        Http.Answer answer = Frames.ask(server.port(), "Sec-WebSocket-Protocol: soap");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("bad-request");
    }

    private static String agreed(String... headers) {
        Http.Answer answer = Frames.ask(server.port(), headers);
        assertThat(answer.status()).isEqualTo(101);
        return answer.headers().getOrDefault("sec-websocket-protocol", "none");
    }
}
