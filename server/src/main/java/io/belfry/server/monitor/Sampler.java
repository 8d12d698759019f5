package io.belfry.server.monitor;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counters;
import io.belfry.server.counter.LatencyRecorder;
import io.belfry.server.counter.LoopCounters;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Computes snapshots from the counters. Owner: one thread, which calls {@link #sample} at any interval; any thread may
 * call {@link #latest}. The clock is a parameter, so that tests need neither the thread nor real time.
 */
final class Sampler {
    private final Counters counters;
    private final LongSupplier nanoClock;
    private final long startedNanos;
    private final List<Integer> loops;
    private final List<WorkgroupSampler> workgroups;
    private final List<IntervalReader> deliveries;
    private final RecentHistogram recentLatency;
    private final Histogram latencySinceStart = latencyShape();
    private final Histogram latencyOfInterval = latencyShape();
    private double latencySumMicros;
    private Percentiles percentilesSinceStart = Percentiles.NONE;
    private LatencyBuckets bucketsSinceStart = LatencyBuckets.of(latencySinceStart, 0);
    private Tally tally;
    private long sampledNanos;
    private volatile Snapshot latest;

    Sampler(Counters counters, List<WorkgroupLoops> workgroups, LongSupplier nanoClock) {
        this.counters = counters;
        this.nanoClock = nanoClock;
        this.startedNanos = nanoClock.getAsLong();
        this.sampledNanos = startedNanos;
        this.loops = IntStream.range(0, counters.loops()).boxed().toList();
        this.workgroups = workgroups.stream()
                .map(workgroup -> new WorkgroupSampler(workgroup, counters, startedNanos))
                .toList();
        this.deliveries = loops.stream()
                .map(loop -> new IntervalReader(counters.loop(loop).deliveryLatency()))
                .toList();
        this.recentLatency = new RecentHistogram(Sampler::latencyShape, startedNanos);
        this.tally = Tally.of(counters, loops);
        this.latest = snapshot(startedNanos, 1);
    }

    /** Returns the last published snapshot. */
    Snapshot latest() {
        return latest;
    }

    /** Reads all counters and publishes a snapshot. Only the owning thread may call it. */
    Snapshot sample() {
        long nowNanos = nanoClock.getAsLong();
        long elapsedNanos = nowNanos - sampledNanos;
        if (elapsedNanos > 0) {
            sampledNanos = nowNanos;
            latest = snapshot(nowNanos, elapsedNanos);
        }
        return latest;
    }

    private Snapshot snapshot(long nowNanos, long elapsedNanos) {
        takeLatencies(nowNanos);
        NavigableMap<Integer, LaneFigures> lanes = new TreeMap<>();
        List<WorkgroupFigures> groups = workgroups.stream()
                .map(workgroup -> workgroup.sample(nowNanos, elapsedNanos, lanes::put))
                .toList();
        Tally before = tally;
        tally = Tally.of(counters, loops);
        return new Snapshot(
                nowNanos,
                TimeUnit.NANOSECONDS.toMillis(nowNanos - startedNanos),
                tally,
                new Snapshot.CountsByCode(
                        byCode(counters::refusals),
                        byCode(counters::closes),
                        byCode(counters::drops),
                        byCode(counters::conflations)),
                Rates.between(before, tally, elapsedNanos),
                recentLatency.percentiles(),
                percentilesSinceStart,
                bucketsSinceStart,
                counters.slowest(LoopCounters.SLOWEST),
                groups,
                new IntervalFigures(
                        Percentiles.of(latencyOfInterval),
                        IntervalFigures.buckets(latencyOfInterval),
                        List.copyOf(lanes.values())));
    }

    private void takeLatencies(long nowNanos) {
        if (latencyOfInterval.getTotalCount() > 0) {
            latencyOfInterval.reset();
        }
        for (IntervalReader delivery : deliveries) {
            Histogram interval = delivery.next();
            if (interval.getTotalCount() > 0) {
                latencyOfInterval.add(interval);
            }
        }
        recentLatency.add(latencyOfInterval, nowNanos);
        if (latencyOfInterval.getTotalCount() > 0) {
            latencySinceStart.add(latencyOfInterval);
            latencySumMicros += latencyOfInterval.getMean() * latencyOfInterval.getTotalCount();
            percentilesSinceStart = Percentiles.of(latencySinceStart);
            bucketsSinceStart = LatencyBuckets.of(latencySinceStart, latencySumMicros);
        }
    }

    private static Map<Code, Long> byCode(ToLongFunction<Code> count) {
        Map<Code, Long> counts = new EnumMap<>(Code.class);
        for (Code code : Code.values()) {
            long occurrences = count.applyAsLong(code);
            if (occurrences > 0) {
                counts.put(code, occurrences);
            }
        }
        return counts;
    }

    private static Histogram latencyShape() {
        return new Histogram(1, LatencyRecorder.MAX_MICROS, LoopCounters.DELIVERY_DIGITS);
    }
}
