package io.belfry.microbench;

import io.belfry.protocol.Code;
import io.belfry.server.codec.WebSocketFrameDecoder;
import io.belfry.server.codec.WebSocketLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Decodes one text frame from the incoming buffer to its handler. The mask is zero, so unmasking in place leaves the frame
 * unchanged for the next invocation; the work is the same.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class FrameDecodeBenchmark {
    @Param({"40", "512", "8192"})
    public int payloadBytes;

    @Param({"ascii", "mixed"})
    public String text = "ascii";

    private final Sum sum = new Sum(WebSocketLimits.of(65536, 8192));
    private ByteBuf in = PooledByteBufAllocator.DEFAULT.directBuffer(16384);
    private int split;

    @Setup
    public void fill() {
        in.writeByte(0x81);
        if (payloadBytes < 126) {
            in.writeByte(0x80 | payloadBytes);
        } else {
            in.writeByte(0x80 | 126).writeShort(payloadBytes);
        }
        in.writeInt(0);
        String unit = text.equals("ascii") ? "abcdefgh" : "h\u00e4\u20ac d";
        byte[] bytes = unit.repeat(payloadBytes / unit.getBytes(StandardCharsets.UTF_8).length)
                .getBytes(StandardCharsets.UTF_8);
        in.writeBytes(bytes);
        in.writeBytes("x".repeat(payloadBytes - bytes.length).getBytes(StandardCharsets.US_ASCII));
        split = in.readableBytes() / 2;
    }

    @TearDown
    public void release() {
        in.release();
    }

    @Benchmark
    public long wholeFrame() {
        in.readerIndex(0);
        sum.onBytes(in);
        return sum.bytes;
    }

    /** A frame in two reads, whose first part is copied. */
    @Benchmark
    public long frameInTwoReads() {
        int end = in.writerIndex();
        in.setIndex(0, split);
        sum.onBytes(in);
        in.setIndex(split, end);
        sum.onBytes(in);
        return sum.bytes;
    }

    /** The naive alternative: a copy, one byte at a time, and the JDK's decoder. */
    @Benchmark
    public long naive() throws CharacterCodingException {
        int header = payloadBytes < 126 ? 6 : 8;
        int mask = in.getInt(header - 4);
        byte[] copy = new byte[payloadBytes];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = (byte) (in.getByte(header + i) ^ mask >>> (24 - 8 * (i & 3)));
        }
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(copy)).length();
    }

    private static final class Sum extends WebSocketFrameDecoder {
        private long bytes;

        Sum(WebSocketLimits limits) {
            super(limits);
        }

        @Override
        protected void onMessage(ByteBuf buf, int offset, int length, boolean text) {
            bytes += length;
        }

        @Override
        protected void onPing(ByteBuf buf, int offset, int length) {}

        @Override
        protected void onPong(ByteBuf buf, int offset, int length) {}

        @Override
        protected void onClose(int code, String reason) {
            throw new IllegalStateException(reason);
        }

        @Override
        protected void onFailure(Code code, String reason) {
            throw new IllegalStateException(reason);
        }
    }
}
