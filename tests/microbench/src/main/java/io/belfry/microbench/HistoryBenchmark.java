package io.belfry.microbench;

import io.belfry.server.history.History;
import io.belfry.server.history.NewRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Appends a message to a full history and cleans at the end of the turn. Three distributions: one subject; one hot subject
 * beside ten thousand with one message each; and one hot subject beside ten thousand that receive every tenth message, where
 * after a while as much is copied as is published. The twin keeps a queue of arrays per subject without a limit of bytes.
 * {@code -bm sample} shows the longest turns.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "-XX:+UseCompactObjectHeaders",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dio.netty.buffer.checkBounds=false",
            "-Dio.netty.buffer.checkAccessible=false"
        })
public class HistoryBenchmark {
    private static final int COLD = 10_000;
    private static final int PER_TURN = 16;
    private static final int CACHE_SIZE = 1000;
    private static final int SEGMENT_BYTES = 4 << 20;
    private static final long BUDGET_BYTES = 64 << 20;

    @Param({"one", "coldOnce", "coldTenth"})
    public String subjects;

    @Param({"64", "512"})
    public int dataBytes;

    private final Map<Integer, ArrayDeque<byte[]>> queues = new HashMap<>();
    private final ByteBuf data = Unpooled.directBuffer(1024).writeZero(1024);
    private final NewRecord record = new NewRecord();
    private History history;
    private long[] seqs;
    private int coldEvery;
    private int next;
    private int cold;

    @Setup
    public void fill() {
        history = new History(1, CACHE_SIZE, 1_000_000, SEGMENT_BYTES, BUDGET_BYTES);
        seqs = new long[COLD + 1];
        coldEvery = subjects.equals("coldTenth") ? 10 : Integer.MAX_VALUE;
        for (int subject = 1; subject <= COLD && !subjects.equals("one"); subject++) {
            append(subject);
        }
        for (long bytes = 0; bytes < 4 * BUDGET_BYTES; bytes += PER_TURN * dataBytes) {
            turn();
        }
    }

    @TearDown
    public void close() {
        System.out.println("copied " + history.copied() + ", early " + history.early() + ", held " + history.messages()
                + " in " + history.bytes());
        history.close();
    }

    /** Measures the time per message. */
    @Benchmark
    @OperationsPerInvocation(PER_TURN)
    public void turn() {
        for (int i = 0; i < PER_TURN; i++) {
            append(subject());
        }
        if (history.isCleaningDue(0)) {
            history.clean(0, subject -> {});
        }
    }

    private int subject() {
        next++;
        if (next % coldEvery != 0) {
            return 0;
        }
        cold = cold < COLD ? cold + 1 : 1;
        return cold;
    }

    private void append(int subject) {
        history.append(record.message(subject, ++seqs[subject], 0, false).data(data, 0, dataBytes));
    }

    @Benchmark
    @OperationsPerInvocation(PER_TURN)
    public void twin() {
        for (int i = 0; i < PER_TURN; i++) {
            ArrayDeque<byte[]> queue = queues.computeIfAbsent(subject(), subject -> new ArrayDeque<>());
            byte[] copy = new byte[dataBytes];
            data.getBytes(0, copy);
            queue.addLast(copy);
            if (queue.size() > CACHE_SIZE) {
                queue.removeFirst();
            }
        }
    }
}
