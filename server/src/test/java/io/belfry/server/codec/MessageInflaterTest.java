package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
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
    void messagesOfAnySizeComeOutAsTheyWentIn() {
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
    void theExamplesOfTheRfcAreUnderstood() {
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
    void aBombEndsAtTheBoundOfMessages() {
        assertThat(inflate(Deflated.of(new byte[16_000]), 16_000)).hasSize(16_000);
        assertFault(Deflated.of(new byte[16_001]), 16_000, Code.MESSAGE_TOO_LARGE);
        assertFault(Deflated.of(new byte[50 << 20]), MAX, Code.MESSAGE_TOO_LARGE);
    }

    @Test
    void aMessageThatGrowsMoreThanTheRatioAllowsIsRefusedBeyondTheFreeBytes() {
        byte[] atTheEdge = Deflated.of(new byte[MessageInflater.FREE_BYTES]);
        assertThat(atTheEdge.length * 100).isLessThan(MessageInflater.FREE_BYTES);
        assertThat(inflate(atTheEdge, MAX)).hasSize(MessageInflater.FREE_BYTES);
        assertFault(Deflated.of(new byte[MessageInflater.FREE_BYTES + 1]), MAX, Code.INFLATE_RATIO);
        assertFault(Deflated.of(new byte[500_000]), MAX, Code.INFLATE_RATIO);
    }

    @Test
    void whatIsCutOffOrGoesOnOrIsNoDeflateIsRefused() {
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
