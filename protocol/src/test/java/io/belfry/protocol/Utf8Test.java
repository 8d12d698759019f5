package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Compares with the JDK's decoder, which is strict when set to report errors. */
class Utf8Test {
    /** The bytes at which the rules change. */
    private static final int[] EDGES = {
        0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
        0xf0, 0xf3, 0xf4, 0xf5
    };

    @Test
    void everySequenceOfEdgeBytesIsJudgedLikeTheJdk() {
        for (int a : EDGES) {
            for (int b : EDGES) {
                for (int c : EDGES) {
                    for (int d : EDGES) {
                        assertAsTheJdk(new byte[] {(byte) a, (byte) b, (byte) c, (byte) d});
                    }
                }
            }
        }
    }

    @Test
    void aSequenceAtAnyPlaceIsJudgedLikeTheJdk() {
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = Vectors.utf8("x".repeat(random.nextInt(20)) + "é日🔔" + "y".repeat(random.nextInt(20)));
            if (random.nextBoolean()) {
                bytes[random.nextInt(bytes.length)] = (byte) EDGES[random.nextInt(EDGES.length)];
            }
            assertAsTheJdk(bytes);
        }
    }

    private static void assertAsTheJdk(byte[] bytes) {
        String text = decoded(bytes);
        ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
        assertThat(Utf8.valid(buffer, 0, bytes.length)).isEqualTo(text != null);
        char[] chars = new char[bytes.length];
        int count = Utf8.decode(buffer, 0, bytes.length, chars);
        assertThat(count).isEqualTo(text == null ? -1 : text.length());
        if (text != null) {
            assertThat(new String(chars, 0, count)).isEqualTo(text);
            ByteBuf again = Unpooled.buffer();
            assertThat(Utf8.encode(chars, 0, count, again)).isTrue();
            assertThat(again).isEqualTo(buffer);
        }
    }

    private static @Nullable String decoded(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException notUtf8) {
            return null;
        }
    }

    @Test
    void anUnpairedSurrogateCannotBeEncoded() {
        for (String text : new String[] {"\ud83d", "x\udd14", "\ud83dx", "\udd14\ud83d"}) {
            assertThat(Utf8.encode(text.toCharArray(), 0, text.length(), Unpooled.buffer()))
                    .isFalse();
        }
    }
}
