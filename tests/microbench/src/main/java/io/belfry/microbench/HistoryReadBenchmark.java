package io.belfry.microbench;

import io.belfry.protocol.MessageView;
import io.belfry.server.history.History;
import io.belfry.server.history.NewRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
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
 * Reads all messages of a subject in blocks of 64 KB, as a session that catches up does: it looks up the oldest seq, then
 * reads a block. The twin reads another subject between two blocks, so each block is searched from the newest message.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "-XX:+UseCompactObjectHeaders",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dio.netty.buffer.checkBounds=false",
            "-Dio.netty.buffer.checkAccessible=false"
        })
public class HistoryReadBenchmark {
    private static final int BLOCK_BYTES = 64 << 10;
    private static final int DATA_BYTES = 512;

    @Param({"1000", "100000"})
    public int messages;

    private final ByteBuf data = Unpooled.directBuffer(DATA_BYTES).writeZero(DATA_BYTES);
    private final MessageView view = new MessageView();
    private final NewRecord record = new NewRecord();
    private History history;
    private long after;
    private int bytes;

    @Setup
    public void fill() {
        history = new History(1, messages, 1_000_000, 4 << 20, 1L << 30);
        for (int seq = 1; seq <= messages; seq++) {
            history.append(record.message(0, seq, 0, false).data(data, 0, DATA_BYTES));
        }
        history.append(record.message(1, 1, 0, false).data(data, 0, DATA_BYTES));
    }

    @TearDown
    public void close() {
        history.close();
    }

    @Benchmark
    public long blockAfterBlock() {
        return readAll(false);
    }

    @Benchmark
    public long twinThatWalksToEachBlock() {
        return readAll(true);
    }

    private long readAll(boolean forgetting) {
        after = 0;
        while (after < messages) {
            bytes = 0;
            long oldest = history.oldestSeq(0, after, 0);
            history.read(0, oldest - 1, Integer.MAX_VALUE, view, 0, message -> {
                after = message.seq();
                bytes += message.dataLength();
                return bytes < BLOCK_BYTES;
            });
            if (forgetting) {
                history.oldestSeq(1, 0, 0);
            }
        }
        return after;
    }
}
