package io.belfry.microbench;

import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.DeliveryCheck;
import io.belfry.benchkit.measure.DeliveryCheck.Arrival;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.Publishers;
import io.belfry.benchkit.measure.Stamp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The work of benchsub per message after decoding: record the latency (histogram, exact mean and deviation), read the stamp,
 * correct for the publisher's clock, check the sequence number. The naive alternative keeps every latency in a list to
 * compute percentiles without a histogram.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LatencyRecordBenchmark {
    private static final int NANOS = 1 << 16;
    private static final int LIST_MAX = 1 << 20;

    private Latencies latencies = new Latencies();
    private final Publishers publishers = new Publishers(true);
    private final DeliveryCheck check = new DeliveryCheck(1);
    private final Counts counts = new Counts();
    private final byte[] stamp = "0".repeat(Stamp.BYTES).getBytes(StandardCharsets.US_ASCII);
    private final long[] nanos = new long[NANOS];
    private final List<Long> list = new ArrayList<>();
    private int at;
    private long sequence;

    @Setup
    public void fill() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < NANOS; i++) {
            nanos[i] = (long) Math.pow(10, random.nextDouble(4, 9));
        }
        Stamp.writeClock(stamp, new ClockOffset(17, 25, 4711));
    }

    @Setup(Level.Iteration)
    public void forget() {
        list.clear();
        latencies = new Latencies();
    }

    private long next() {
        at = (at + 1) & (NANOS - 1);
        return nanos[at];
    }

    @Benchmark
    public void record() {
        latencies.record(next());
    }

    /** Also writes the stamp, which a subscriber does not do. */
    @Benchmark
    public Arrival recordAndVerify() {
        Stamp.write(stamp, next(), 12345, ++sequence);
        long intended = Stamp.intendedNanos(stamp);
        Publishers.Publisher publisher = publishers.of(stamp);
        latencies.record(intended + publisher.correctionNanos());
        return check.arrived(0, publisher.index(), Stamp.sequence(stamp), counts);
    }

    @Benchmark
    public void naiveList() {
        if (list.size() == LIST_MAX) {
            list.clear();
        }
        list.add(next());
    }
}
