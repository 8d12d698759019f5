package io.belfry.microbench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryCommands;
import io.belfry.protocol.Code;
import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonCommands;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
 * Encodes a message of 512 bytes once for all its receivers, and decodes a publish of it. The naive alternative writes JSON
 * with a generator. Owner: one benchmark thread.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class EncodingBenchmark {
    private static final int DATA_BYTES = 512;
    private static final byte[] SUBJECT = "/prices/frankfurt/DE0007164600".getBytes(StandardCharsets.UTF_8);

    /** Plain ASCII, JSON with quotes to escape, or bytes that need base64. */
    @Param({"plain", "json", "bytes"})
    public String content = "plain";

    private final ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer(4096);
    private final ByteBuf subject = PooledByteBufAllocator.DEFAULT.directBuffer(64);
    private final ByteBuf data = PooledByteBufAllocator.DEFAULT.directBuffer(DATA_BYTES);
    private final ByteBuf binaryPublish = PooledByteBufAllocator.DEFAULT.directBuffer(1024);
    private final ByteBuf jsonPublish = PooledByteBufAllocator.DEFAULT.directBuffer(2048);
    private final MessageView message = new MessageView();
    private final CommandDecoder binaryCommands = new BinaryCommands();
    private final CommandDecoder jsonCommands = new JsonCommands();
    private final Publishes publishes = new Publishes();
    private final JsonFactory factory = new JsonFactory();

    @Setup
    public void setUp() {
        subject.writeBytes(SUBJECT);
        data.writeBytes(bytes(content));
        message.subject(subject, 0, subject.readableBytes())
                .data(data, 0, data.readableBytes())
                .position(1_700_000_000_123L, 0, 123_456)
                .time(1_700_000_100_456L);
        new BinaryClientEncoding().publish(binaryPublish, 4, SUBJECT, data);
        new JsonClientEncoding().publish(jsonPublish, 4, SUBJECT, data);
    }

    private static byte[] bytes(String content) {
        byte[] bytes = new byte[DATA_BYTES];
        byte[] pattern = content.equals("json")
                ? "{\"bid\":101.25,\"ask\":101.30},".getBytes(StandardCharsets.UTF_8)
                : "The quick brown fox. ".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = content.equals("bytes") ? (byte) (i * 31 | 0x80) : pattern[i % pattern.length];
        }
        return bytes;
    }

    @TearDown
    public void tearDown() {
        for (ByteBuf each : List.of(out, subject, data, binaryPublish, jsonPublish)) {
            each.release();
        }
    }

    @Benchmark
    public ByteBuf messageJson() {
        BelfryFormat.WEBSOCKET_JSON.message(out.clear(), message);
        return out;
    }

    @Benchmark
    public ByteBuf messageBinary() {
        BelfryFormat.WEBSOCKET_BINARY.message(out.clear(), message);
        return out;
    }

    @Benchmark
    public ByteBuf messageSse() {
        BelfryFormat.SSE.message(out.clear(), message);
        return out;
    }

    /** The naive alternative to {@link #messageJson}, without the frame. */
    @Benchmark
    public ByteBuf messageJsonByGenerator() throws IOException {
        out.clear();
        try (JsonGenerator json = factory.createGenerator((OutputStream) new ByteBufOutputStream(out))) {
            json.writeStartObject();
            json.writeStringField("op", "message");
            json.writeStringField("subject", subject.toString(StandardCharsets.UTF_8));
            if (content.equals("bytes")) {
                byte[] bytes = new byte[data.readableBytes()];
                data.getBytes(0, bytes);
                json.writeBinaryField("base64", bytes);
            } else {
                json.writeStringField("data", data.toString(StandardCharsets.UTF_8));
            }
            json.writeNumberField("epoch", message.epoch());
            json.writeNumberField("seq", message.seq());
            json.writeNumberField("time", message.timeMillis());
            json.writeEndObject();
        }
        return out;
    }

    @Benchmark
    public int publishBinary() {
        binaryCommands.decode(binaryPublish, 0, binaryPublish.readableBytes(), publishes);
        return publishes.bytes;
    }

    @Benchmark
    public int publishJson() {
        jsonCommands.decode(jsonPublish, 0, jsonPublish.readableBytes(), publishes);
        return publishes.bytes;
    }

    /** Accepts publishes and throws for other commands. Owner: the benchmark. */
    private static final class Publishes implements CommandHandler {
        private int bytes;

        @Override
        public void onPublish(PublishRequest request) {
            bytes += request.dataLength();
        }

        @Override
        public void onConnect(long id, ConnectRequest request) {
            throw new AssertionError();
        }

        @Override
        public void onSubscribe(long id, SubscribeRequest request) {
            throw new AssertionError();
        }

        @Override
        public void onUnsubscribe(long id, List<byte[]> subjects) {
            throw new AssertionError();
        }

        @Override
        public void onPing(long id) {
            throw new AssertionError();
        }

        @Override
        public void onWatch(long id, byte[] subject) {
            throw new AssertionError();
        }

        @Override
        public void onUnwatch(long id, byte[] subject) {
            throw new AssertionError();
        }

        @Override
        public void onBadCommand(long id, Code code, String reason) {
            throw new AssertionError(code + " " + reason);
        }
    }
}
