package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.config.ServerConfig;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MessageInflaterTest {
    private static final int MAX = 1 << 20;
    private static final byte[] TEXT = "a text that says the same, the same, the same".getBytes(StandardCharsets.UTF_8);

    private final Bytes bytes = Bytes.direct();
    private final MessageInflater inflater = new MessageInflater(100);

    private byte @Nullable [] inflate(byte[] compressed, int bytesMax) {
        ByteBuf in = bytes.of(compressed);
        ByteBuf message = inflater.inflate(in, 0, compressed.length, bytesMax);
        in.release();
        if (message == null) {
            assertThat(bytes.unreleased()).isZero();
            return null;
        }
        byte[] inflated = ByteBufUtil.getBytes(message);
        message.release();
        assertThat(bytes.unreleased()).isZero();
        return inflated;
    }

    private void assertFault(byte[] compressed, int bytesMax, Code code) {
        assertThat(inflate(compressed, bytesMax)).isNull();
        assertThat(inflater.fault()).isEqualTo(code);
        assertThat(inflate(Deflated.of(TEXT), MAX)).as("the next message").isEqualTo(TEXT);
    }

    @Test
    void messagesOfAnySizeAreInflatedUnchanged() {
        Random random = new Random(3);
        for (int length : new int[] {0, 1, 100, 4096, 16_384, 16_385, 70_000, MAX}) {
            byte[] message = new byte[length];
            for (int i = 0; i < length; i++) {
                message[i] = (byte) random.nextInt(i % 7 + 1);
            }
            assertThat(inflate(Deflated.of(message), MAX)).isEqualTo(message);
            assertThat(inflate(Deflated.inLastBlock(message), MAX)).isEqualTo(message);
        }
    }

    @Test
    void theExamplesOfTheRfcAreInflated() {
        for (String hex : new String[] {
            "f248cdc9c90700",
            "000500faff48656c6c6f00",
            "f348cdc9c9070000",
            "f248050000 00ffffcac9c90700".replace(" ", "")
        }) {
            assertThat(inflate(HexFormat.of().parseHex(hex), MAX))
                    .as(hex)
                    .isEqualTo("Hello".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void aDeflateBombIsRefusedAtTheMessageBound() {
        assertThat(inflate(Deflated.of(new byte[16_000]), 16_000)).hasSize(16_000);
        assertFault(Deflated.of(new byte[16_001]), 16_000, Code.MESSAGE_TOO_LARGE);
        assertFault(Deflated.of(new byte[50 << 20]), MAX, Code.MESSAGE_TOO_LARGE);
    }

    @Test
    void theRatioIsEnforcedBeyondTheFreeBytes() {
        byte[] atTheEdge = Deflated.of(new byte[MessageInflater.FREE_BYTES]);
        assertThat(atTheEdge.length * 100).isLessThan(MessageInflater.FREE_BYTES);
        assertThat(inflate(atTheEdge, MAX)).hasSize(MessageInflater.FREE_BYTES);
        assertFault(Deflated.of(new byte[MessageInflater.FREE_BYTES + 1]), MAX, Code.INFLATE_RATIO);
        assertFault(Deflated.of(new byte[500_000]), MAX, Code.INFLATE_RATIO);
    }

    /**
     * Compressed by npm's ws, Python's websockets, Go's clients and Chromium, an export of a spreadsheet has this
     * ratio.
     */
    @Test
    void jsonWithAThousandEqualRowsIsAcceptedByDefault() {
        byte[] rows = ("[" + "{\"name\":\"Hamburg\",\"value\":0,\"on\":true},".repeat(999)
                        + "{\"name\":\"Hamburg\",\"value\":0,\"on\":true}]")
                .getBytes(StandardCharsets.UTF_8);
        byte[] compressed = Deflated.of(rows);
        assertThat(rows).hasSize(39_001);
        assertThat(compressed.length * 100).as("beyond a ratio of 100").isLessThan(rows.length);
        MessageInflater byDefault = new MessageInflater(
                ServerConfig.defaults().messages().compression().inflateRatioMax());
        ByteBuf in = bytes.of(compressed);
        ByteBuf message = Objects.requireNonNull(byDefault.inflate(in, 0, compressed.length, 64 << 10));
        in.release();
        assertThat(ByteBufUtil.getBytes(message)).isEqualTo(rows);
        message.release();
    }

    @Test
    void withoutARatioTheMessageBoundStillApplies() {
        MessageInflater unbounded = new MessageInflater(0);
        byte[] bomb = Deflated.of(new byte[50 << 20]);
        ByteBuf in = bytes.of(bomb);
        assertThat(unbounded.inflate(in, 0, bomb.length, 64 << 10)).isNull();
        assertThat(unbounded.fault()).isEqualTo(Code.MESSAGE_TOO_LARGE);
        in.release();
        assertThat(bytes.unreleased()).isZero();
    }

    @Test
    void truncatedOverlongAndInvalidDeflateIsRefused() {
        byte[] whole = Deflated.of(TEXT);
        for (int length = 0; length < whole.length; length++) {
            assertFault(Arrays.copyOf(whole, length), MAX, Code.BAD_DEFLATE);
        }
        byte[] lastBlock = Deflated.inLastBlock(TEXT);
        assertFault(Arrays.copyOf(lastBlock, lastBlock.length + 1), MAX, Code.BAD_DEFLATE);
        assertFault(HexFormat.of().parseHex("ffffffff"), MAX, Code.BAD_DEFLATE);
        assertFault(HexFormat.of().parseHex("0600"), MAX, Code.BAD_DEFLATE);
    }
}
