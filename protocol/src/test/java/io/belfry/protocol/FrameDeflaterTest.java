package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FrameDeflaterTest {
    private static final int MIN = 64;
    private static final byte[] FLUSH = {0, 0, (byte) 0xff, (byte) 0xff};

    private final FrameDeflater deflater = new FrameDeflater(MIN);
    private final List<ByteBuf> frames = new ArrayList<>();

    @AfterEach
    void release() {
        deflater.release();
        frames.forEach(ByteBuf::release);
    }

    @Test
    void aFrameOfAnyLengthShrinksAndInflatesToItself() throws DataFormatException {
        for (int length : new int[] {64, 125, 126, 300, 5000, 65_535, 65_536, 400_000, 70}) {
            byte[] payload =
                    Vectors.utf8("{\"a\":1,\"bc\":22}".repeat(length / 15 + 1).substring(0, length));
            ByteBuf out = frame(payload);
            int whole = out.readableBytes();
            int saved = deflater.deflate(out, 4);
            assertThat(saved).isPositive().isEqualTo(whole - out.readableBytes());
            assertThat(out.readInt()).isEqualTo(1234);
            assertThat(inflated(out)).isEqualTo(payload);
            assertThat(out.isReadable()).isFalse();
        }
    }

    @Test
    void aPayloadBelowTheMinimumIsNotCompressed() {
        assertUntouched(new byte[MIN - 1]);
    }

    @Test
    void aPayloadThatDoesNotShrinkIsNotCompressed() {
        Random random = new Random(5);
        for (int length : new int[] {64, 126, 1000, 70_000}) {
            byte[] noise = new byte[length];
            random.nextBytes(noise);
            assertUntouched(noise);
        }
    }

    private void assertUntouched(byte[] payload) {
        ByteBuf out = frame(payload);
        ByteBuf before = out.copy();
        frames.add(before);
        assertThat(deflater.deflate(out, 4)).isZero();
        assertThat(out).isEqualTo(before);
    }

    @Test
    void aCompressedMessageDoesNotDependOnEarlierOnes() {
        byte[] payload = Vectors.utf8("the same again ".repeat(20));
        ByteBuf first = frame(payload);
        ByteBuf second = frame(payload);
        deflater.deflate(first, 4);
        deflater.deflate(frame(Vectors.utf8("another ".repeat(5000))), 4);
        deflater.deflate(second, 4);
        assertThat(second).isEqualTo(first);
    }

    private ByteBuf frame(byte[] payload) {
        ByteBuf out = Unpooled.directBuffer().writeInt(1234);
        frames.add(out);
        Framing.writeHeader(out, 0x81, payload.length);
        return out.writeBytes(payload);
    }

    /** Inflates as RFC 7692 describes for a client. */
    private static byte[] inflated(ByteBuf frame) throws DataFormatException {
        assertThat(frame.readUnsignedByte()).isEqualTo((short) 0xc1);
        int length = frame.readUnsignedByte();
        length = length == 126 ? frame.readUnsignedShort() : length == 127 ? (int) frame.readLong() : length;
        byte[] payload = new byte[length];
        frame.readBytes(payload);
        Inflater inflater = new Inflater(true);
        byte[] whole = Arrays.copyOf(payload, length + FLUSH.length);
        System.arraycopy(FLUSH, 0, whole, length, FLUSH.length);
        inflater.setInput(whole);
        byte[] room = new byte[1 << 20];
        int bytes = inflater.inflate(room);
        assertThat(inflater.needsInput()).isTrue();
        inflater.end();
        return Arrays.copyOf(room, bytes);
    }
}
