package io.belfry.client.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeflationTest {
    private final Deflation deflation = new Deflation();

    @AfterEach
    void release() {
        deflation.release();
    }

    /** Text of a given length from a small vocabulary. */
    private static byte[] text(int words, long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words; i++) {
            text.append("word").append(random.nextInt(50)).append(' ');
        }
        return text.toString().getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    private boolean isPlain(byte[] message) {
        return deflation.deflate(Unpooled.wrappedBuffer(message)) == null;
    }

    private byte[] there(byte[] message) {
        ByteBuf deflated = Objects.requireNonNull(deflation.deflate(Unpooled.wrappedBuffer(message)));
        byte[] bytes = new byte[deflated.readableBytes()];
        deflated.readBytes(bytes);
        return bytes;
    }

    private byte @Nullable [] back(byte[] deflated, int bytesMax) {
        ByteBuf message = deflation.inflate(Unpooled.wrappedBuffer(deflated), 0, deflated.length, bytesMax);
        if (message == null) {
            return null;
        }
        byte[] bytes = new byte[message.readableBytes()];
        message.readBytes(bytes);
        message.release();
        return bytes;
    }

    @Test
    void aCompressedMessageInflatesToItself() {
        for (int words : new int[] {60, 500, 5_000, 50_000}) {
            byte[] message = text(words, words);
            byte[] deflated = there(message);
            assertThat(deflated).hasSizeLessThan(message.length / 2);
            assertThat(back(deflated, 1 << 20)).isEqualTo(message);
            assertThat(back(deflated, message.length)).isEqualTo(message);
            assertThat(back(deflated, message.length - 1) == null)
                    .as("too large")
                    .isTrue();
        }
    }

    @Test
    void aPayloadThatDoesNotShrinkIsSentUncompressed() {
        byte[] noise = new byte[4000];
        new Random(1).nextBytes(noise);
        assertThat(isPlain(noise)).isTrue();
        assertThat(isPlain(new byte[255])).isTrue();
        assertThat(isPlain(new byte[16 << 10]))
                .as("within the size that is allowed at any ratio")
                .isFalse();
        assertThat(isPlain(new byte[64 << 10]))
                .as("above the ratio limit of servers")
                .isTrue();
    }

    @Test
    void invalidDataIsRejected() {
        byte[] deflated = there(text(1000, 7));
        Random random = new Random(2);
        for (int i = 0; i < 300; i++) {
            byte[] broken = deflated.clone();
            broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(8));
            byte[] came = back(broken, 1 << 16);
            assertThat(came == null || came.length <= 1 << 16).isTrue();
        }
        assertThat(back(new byte[] {(byte) 0xff, (byte) 0xff, 1}, 1000)).isNull();
    }
}
