package io.belfry.microbench;

import io.belfry.protocol.FrameDeflater;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;
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

/** Compresses one JSON frame. The server pays this once per message, whatever the number of subscribers. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CompressionBenchmark {
    private static final String[] NAMES = {"bid", "ask", "last", "volume", "open", "high", "low", "change"};

    @Param({"2", "8", "32", "512"})
    public int fields;

    private final FrameDeflater deflater = new FrameDeflater(1);
    private final ByteBuf out = Unpooled.directBuffer(1 << 16);
    private byte[] frame = {};
    private byte[] payload = {};

    @Setup
    public void fill() {
        payload = message().getBytes(StandardCharsets.UTF_8);
        ByteBuf whole = Unpooled.buffer().writeByte(0x81);
        if (payload.length < 126) {
            whole.writeByte(payload.length);
        } else {
            whole.writeByte(126).writeShort(payload.length);
        }
        whole.writeBytes(payload);
        frame = new byte[whole.readableBytes()];
        whole.readBytes(frame);
    }

    private String message() {
        Random random = new Random(7);
        StringBuilder json = new StringBuilder("{\"op\":\"message\",\"subject\":\"/quotes/XETR/SAP.DE\",\"data\":\"{");
        for (int i = 0; i < fields; i++) {
            json.append(i == 0 ? "\\\"" : ",\\\"")
                    .append(NAMES[i % NAMES.length])
                    .append("\\\":");
            json.append(random.nextInt(1000)).append('.').append(random.nextInt(100));
        }
        return json.append("}\",\"epoch\":1763779200000,\"seq\":4711,\"time\":1763779212345}")
                .toString();
    }

    @TearDown
    public void release() {
        deflater.release();
        out.release();
    }

    @Benchmark
    public int shared() {
        out.clear().writeBytes(frame);
        return deflater.deflate(out, 0);
    }

    /** The naive alternative: a new compressor for each message. */
    @Benchmark
    public int naive() {
        Deflater each = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        each.setInput(payload);
        byte[] compressed = new byte[payload.length + 64];
        int length = each.deflate(compressed, 0, compressed.length, Deflater.SYNC_FLUSH);
        each.end();
        return length;
    }
}
