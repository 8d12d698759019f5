package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the meaning of RSV1 with and without negotiated compression (RFC 7692, section 6). */
class CompressedFramesTest {
    private static final int FIN = 0x80;
    private static final int RSV1 = 0x40;
    private static final int CONTINUATION = 0;
    private static final int TEXT = 1;
    private static final int BINARY = 2;

    private static final WebSocketLimits PLAIN = new WebSocketLimits(40_000, 8, 8192, null);
    private static final WebSocketLimits DEFLATED = PLAIN.with(new MessageInflater(100));
    private static final byte[] MESSAGE = utf8("{\"op\":\"ping\",\"text\":\"äöü äöü äöü\"}");
    private static final byte[] COMPRESSED = Deflated.of(MESSAGE);

    private final Bytes bytes = Bytes.heap();

    private List<String> events(WebSocketLimits limits, ClientFrames frames) {
        byte[] all = frames.bytes();
        List<String> whole = events(limits, all, all.length);
        assertThat(events(limits, all, 1)).as("byte by byte").isEqualTo(whole);
        assertThat(events(limits, all, 7)).as("in pieces of seven").isEqualTo(whole);
        return whole;
    }

    private List<String> events(WebSocketLimits limits, byte[] all, int piece) {
        RecordedFrames recorded = new RecordedFrames(limits);
        for (int at = 0; at < all.length; at += piece) {
            ByteBuf in = bytes.of(all, at, Math.min(all.length, at + piece));
            recorded.onBytes(in);
            in.release();
        }
        recorded.release();
        assertThat(bytes.unreleased()).isZero();
        return recorded.events;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static ClientFrames frames() {
        return new ClientFrames();
    }

    @Test
    void compressedAndPlainMessagesMayAlternate() {
        assertThat(events(
                        DEFLATED,
                        frames().frame(FIN | RSV1 | TEXT, COMPRESSED)
                                .text("plain")
                                .frame(FIN | RSV1 | BINARY, Deflated.of(new byte[] {1, 2}))
                                .frame(FIN | RSV1 | TEXT, COMPRESSED)))
                .containsExactly("text " + text(), "text plain", "binary 0102", "text " + text());
    }

    private static String text() {
        return new String(MESSAGE, StandardCharsets.UTF_8);
    }

    @Test
    void compressedMessagesMayBeFragmentedWithPingsInBetween() {
        ClientFrames frames = frames().frame(RSV1 | TEXT);
        for (int i = 0; i < 3; i++) {
            frames.frame(CONTINUATION, Arrays.copyOfRange(COMPRESSED, i * 5, i * 5 + 5))
                    .ping("" + i);
        }
        frames.frame(FIN | CONTINUATION, Arrays.copyOfRange(COMPRESSED, 15, COMPRESSED.length));
        assertThat(events(DEFLATED, frames)).containsExactly("ping 0", "ping 1", "ping 2", "text " + text());
    }

    @Test
    void rsv1IsAllowedOnlyOnTheFirstFrameOfAMessage() {
        assertThat(events(DEFLATED, frames().frame(RSV1 | TEXT, COMPRESSED).frame(FIN | RSV1 | CONTINUATION)))
                .containsExactly("failure protocol-error");
        assertThat(events(DEFLATED, frames().frame(FIN | RSV1 | 9))).containsExactly("failure protocol-error");
        assertThat(events(DEFLATED, frames().frame(FIN | RSV1 | 8))).containsExactly("failure protocol-error");
    }

    @Test
    void otherReservedBitsAreAnError() {
        for (int bits : new int[] {0x10, 0x20, 0x30, 0x50, 0x60, 0x70}) {
            assertThat(events(DEFLATED, frames().frame(FIN | bits | TEXT, COMPRESSED)))
                    .containsExactly("failure protocol-error");
        }
    }

    @Test
    void rsv1IsAnErrorWithoutNegotiatedCompression() {
        assertThat(events(PLAIN, frames().frame(FIN | RSV1 | TEXT, COMPRESSED)))
                .containsExactly("failure protocol-error");
    }

    @Test
    void inflatedTextMustBeUtf8() {
        byte[] noText = {'a', (byte) 0xc3, 'b'};
        assertThat(events(DEFLATED, frames().frame(FIN | RSV1 | TEXT, Deflated.of(noText))))
                .containsExactly("failure bad-utf8");
        assertThat(events(DEFLATED, frames().frame(FIN | RSV1 | BINARY, Deflated.of(noText))))
                .containsExactly("binary 61c362");
    }

    @Test
    void deflateBombsAndBrokenStreamsFailTheConnection() {
        byte[] bomb = Deflated.of(new byte[10 << 20]);
        assertThat(events(DEFLATED, frames().frame(FIN | RSV1 | BINARY, bomb)))
                .containsExactly("failure message-too-large");
        byte[] dense = Deflated.of(new byte[39_000]);
        assertThat(events(DEFLATED, frames().frame(FIN | RSV1 | BINARY, dense)))
                .containsExactly("failure inflate-ratio");
        assertThat(events(DEFLATED, frames().frame(RSV1 | BINARY, dense).frame(FIN | CONTINUATION)))
                .containsExactly("failure inflate-ratio");
        assertThat(events(DEFLATED, frames().frame(FIN | RSV1 | TEXT, utf8("not deflated"))))
                .containsExactly("failure bad-deflate");
        assertThat(events(DEFLATED, frames().frame(FIN | RSV1 | TEXT))).containsExactly("failure bad-deflate");
    }

    @Test
    void compressedBytesHaveTheBoundOfAPlainMessage() {
        ClientFrames frames = frames().frame(RSV1 | BINARY, new byte[30_000]).header(CONTINUATION, 10_001);
        assertThat(events(DEFLATED, frames.raw("00000000"))).containsExactly("failure message-too-large");
    }
}
