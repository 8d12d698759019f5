package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tests that deltas decode to the expected data, that malformed ones are refused, and that each delta of the encoder decodes to its data. */
class DeltaTest {
    private static final int MAX = 1 << 20;

    private final DeltaEncoder encoder = new DeltaEncoder();

    @TestFactory
    Stream<DynamicTest> aDeltaBecomesTheResultOfItsVector() {
        return VectorsTest.each("deltas.json", vector -> {
            byte[] result = FossilDelta.apply(
                    bytes(vector, "base"),
                    bytes(vector, "delta"),
                    vector.path("max").asInt(MAX));
            assertThat(result == null ? null : ByteBufUtil.hexDump(result))
                    .isEqualTo(vector.get("result").textValue());
        });
    }

    @TestFactory
    Stream<DynamicTest> theEncodersDeltaBecomesTheResultToo() {
        return VectorsTest.each("deltas.json", vector -> {
            if (!vector.get("result").isNull()) {
                check(bytes(vector, "base"), bytes(vector, "result"));
            }
        });
    }

    private static byte[] bytes(JsonNode vector, String member) {
        return ByteBufUtil.decodeHexDump(vector.get(member).textValue());
    }

    private byte[] check(byte[] base, byte[] data) {
        int length = encoder.encode(base, base.length, data, data.length, 2 * data.length + 64);
        byte[] delta = Arrays.copyOf(encoder.bytes(), length);
        assertThat(FossilDelta.apply(base, delta, data.length)).isEqualTo(data);
        ByteBuf text = Unpooled.wrappedBuffer(data);
        if (Utf8.valid(text, 0, data.length)) {
            assertThat(Utf8.valid(Unpooled.wrappedBuffer(delta), 0, delta.length))
                    .isTrue();
        }
        return delta;
    }

    @Test
    void randomChangesBecomeTheData() {
        Random random = new Random(7);
        for (int i = 0; i < 3000; i++) {
            byte[] base = random.nextBoolean() ? text(random) : noise(random);
            byte[] data = random.nextInt(8) == 0 ? text(random) : changed(base, random);
            check(base, data);
        }
    }

    private static byte[] text(Random random) {
        String[] words = {"\"price\":", "17.25,", "{", "}", "\u20ac", "\ud83d\ude00\u00fc", "same ", "\u6771\u4eac"};
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(200); i > 0; i--) {
            text.append(words[random.nextInt(words.length)]);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] noise(Random random) {
        byte[] noise = new byte[random.nextInt(700)];
        int kinds = 1 + random.nextInt(255);
        for (int i = 0; i < noise.length; i++) {
            noise[i] = (byte) (128 + random.nextInt(kinds));
        }
        return noise;
    }

    /** Returns the bytes with some parts removed, replaced or moved; text may become something that is no UTF-8. */
    private static byte[] changed(byte[] base, Random random) {
        ByteBuf data = Unpooled.buffer();
        int at = 0;
        while (at < base.length) {
            int length = Math.min(base.length - at, 1 + random.nextInt(120));
            switch (random.nextInt(6)) {
                case 0 -> data.writeBytes(text(random), 0, 0);
                case 1 -> data.writeByte(random.nextInt(256)).writeBytes(base, at, length);
                case 2 -> data.writeBytes(base, random.nextInt(at + 1), Math.min(length, 5));
                default -> data.writeBytes(base, at, length);
            }
            at += length;
        }
        return ByteBufUtil.getBytes(data);
    }

    @Test
    void aSmallChangeMakesASmallDelta() {
        byte[] base = "{\"symbol\":\"ACME\",\"bid\":101.25,\"ask\":101.30,\"size\":500}"
                .repeat(20)
                .getBytes(StandardCharsets.UTF_8);
        byte[] data = base.clone();
        data[600] ^= 1;
        assertThat(check(base, data)).hasSizeLessThan(40);
        assertThat(check(base, base)).hasSizeLessThan(20);
    }

    @Test
    void aDeltaThatWouldBeTooLongIsNotMade() {
        byte[] base = text(new Random(1));
        byte[] data = noise(new Random(2));
        assertThat(encoder.encode(base, base.length, data, data.length, data.length * 7 / 10))
                .isEqualTo(DeltaEncoder.TOO_LONG);
        byte[] same = "0123456789".repeat(10).getBytes(StandardCharsets.UTF_8);
        for (int max = 0; max < 100; max++) {
            int length = encoder.encode(same, same.length, same, same.length, max);
            assertThat(length).isLessThanOrEqualTo(max);
            assertThat(length == DeltaEncoder.TOO_LONG || FossilDelta.apply(same, made(length), 100) != null)
                    .isTrue();
        }
    }

    private byte[] made(int length) {
        return Arrays.copyOf(encoder.bytes(), length);
    }

    /** The encoder reads as often as there are bytes, whatever they are: data of one byte must not be slower than other data. */
    @Test
    void theTimeDoesNotDependOnTheContent() {
        byte[] base = new byte[200_000];
        byte[] data = new byte[200_000];
        for (int i = 0; i < data.length; i++) {
            // Equal parts of eleven bytes, each of which is found and too short after its alignment.
            base[i] = (byte) (i % 17 < 11 ? 0x80 : i);
            data[i] = (byte) (i % 13 < 11 ? 0x80 : i * 7);
        }
        long start = System.nanoTime();
        for (int i = 0; i < 5; i++) {
            encoder.encode(base, base.length, data, data.length, 2 * data.length);
        }
        // A quadratic encoder takes minutes.
        assertThat((System.nanoTime() - start) / 1e9).isCloseTo(0, within(20.0));
    }

    @Test
    void everyTruncationAndEveryChangedByteIsRefusedOrBounded() {
        byte[] base = "the quick brown fox jumps over the lazy dog, ".repeat(3).getBytes(StandardCharsets.UTF_8);
        byte[] data = "the quick brown cat jumps over the lazy dog, ".repeat(4).getBytes(StandardCharsets.UTF_8);
        byte[] delta = check(base, data);
        for (int length = 0; length < delta.length; length++) {
            assertThat(FossilDelta.apply(base, Arrays.copyOf(delta, length), MAX))
                    .isNull();
        }
        for (int at = 0; at < delta.length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] changed = delta.clone();
                changed[at] ^= (byte) (1 << bit);
                byte[] result = FossilDelta.apply(base, changed, 500);
                assertThat(result == null || result.length <= 500).isTrue();
            }
        }
    }
}
