package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WebSocketFramesTest {
    private final ByteBuf out = Unpooled.buffer();

    @Test
    void headersUseTheShortestEncoding() {
        assertThat(header(WebSocketFrames.TEXT, 0)).isEqualTo("8100");
        assertThat(header(WebSocketFrames.TEXT, 125)).isEqualTo("817d");
        assertThat(header(WebSocketFrames.BINARY, 126)).isEqualTo("827e007e");
        assertThat(header(WebSocketFrames.BINARY, 65535)).isEqualTo("827effff");
        assertThat(header(WebSocketFrames.BINARY, 65536)).isEqualTo("827f0000000000010000");
        assertThat(header(WebSocketFrames.BINARY, Integer.MAX_VALUE)).isEqualTo("827f000000007fffffff");
    }

    @Test
    void aCloseHasACodeAndAReason() {
        WebSocketFrames.writeClose(out, 1002, "no");

        assertThat(ByteBufUtil.hexDump(out)).isEqualTo("880403ea6e6f");
    }

    @Test
    void aCloseWithoutACodeIsEmpty() {
        WebSocketFrames.writeClose(out, WebSocketFrames.CLOSE_WITHOUT_CODE, "ignored");

        assertThat(ByteBufUtil.hexDump(out)).isEqualTo("8800");
    }

    @Test
    void aLongReasonIsTruncatedAtACharacter() {
        WebSocketFrames.writeClose(out, 1000, "x" + "€".repeat(60));

        assertThat(out.getByte(1)).isEqualTo((byte) (2 + 1 + 40 * 3));
        assertThat(out.toString(4, out.readableBytes() - 4, StandardCharsets.UTF_8))
                .isEqualTo("x" + "€".repeat(40));
        out.clear();
        WebSocketFrames.writeClose(out, 1000, "x".repeat(123));
        assertThat(out.readableBytes()).isEqualTo(127);
    }

    @Test
    void pingsAndPongsCarryTheirPayload() {
        WebSocketFrames.writePing(out);
        WebSocketFrames.writePing(out, 0x0102030405060708L);
        WebSocketFrames.writePong(out, Bytes.latin1("xabcx"), 1, 3);

        assertThat(ByteBufUtil.hexDump(out)).isEqualTo("8900" + "89080102030405060708" + "8a03616263");
    }

    private String header(int opcode, int length) {
        out.clear();
        WebSocketFrames.writeHeader(out, opcode, length);
        assertThat(out.readableBytes()).isEqualTo(WebSocketFrames.headerBytes(length));
        return ByteBufUtil.hexDump(out);
    }
}
