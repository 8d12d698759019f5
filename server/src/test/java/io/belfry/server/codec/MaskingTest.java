package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MaskingTest {
    @Test
    void onlyTheGivenRangeIsUnmasked() {
        Random random = new Random(5);
        for (int length = 0; length < 70; length++) {
            for (int offset = 0; offset < 9; offset++) {
                int mask = random.nextInt();
                byte[] plain = new byte[offset + length + 9];
                random.nextBytes(plain);
                byte[] masked = plain.clone();
                for (int i = 0; i < length; i++) {
                    masked[offset + i] ^= (byte) (mask >>> (24 - 8 * (i & 3)));
                }
                Masking.unmask(Unpooled.wrappedBuffer(masked), offset, length, mask);
                assertThat(masked).isEqualTo(plain);
            }
        }
    }

    @Test
    void aPayloadInPiecesContinuesWithTheRotatedMask() {
        Random random = new Random(6);
        byte[] bytes = new byte[50];
        random.nextBytes(bytes);
        int mask = random.nextInt();
        ByteBuf whole = Unpooled.copiedBuffer(bytes);
        Masking.unmask(whole, 0, bytes.length, mask);
        for (int split = 0; split <= bytes.length; split++) {
            ByteBuf pieces = Unpooled.copiedBuffer(bytes);
            Masking.unmask(pieces, 0, split, mask);
            Masking.unmask(pieces, split, bytes.length - split, Masking.rotated(mask, split));
            assertThat(pieces).isEqualTo(whole);
        }
    }

    @Test
    void aNonAsciiByteIsDetectedAtAnyPosition() {
        for (int length = 1; length < 30; length++) {
            for (int at = 0; at < length; at++) {
                ByteBuf buf = Unpooled.buffer().writeZero(length);
                assertThat(Masking.unmask(buf, 0, length, 0)).isTrue();
                buf.setByte(at, 0x80);
                assertThat(Masking.unmask(buf, 0, length, 0)).isFalse();
            }
        }
    }
}
