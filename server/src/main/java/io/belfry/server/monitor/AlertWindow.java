package io.belfry.server.monitor;

import io.belfry.protocol.Code;
import io.belfry.server.alert.AlertFigures;
import io.belfry.server.counter.Counter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The figures of alerts: the latest snapshot, and earlier ones for growth over a time. Owner: the sampler's thread.
 *
 * <p>It keeps the growing values of each half minute for a quarter of an hour, and those of each ten minutes for a day.
 */
final class AlertWindow implements AlertFigures {
    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(15);
    private static final long LONG_STEP_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

    /** The growing values at one time. */
    private record Point(long nanos, Tally tally, Snapshot.CountsByCode counts, LatencyBuckets latency, long denied) {
        static Point of(Snapshot snapshot, long denied) {
            return new Point(
                    snapshot.takenAtNanos(), snapshot.tally(), snapshot.counts(), snapshot.latencyBuckets(), denied);
        }
    }

    private final Monitored monitored;
    private final LongSupplier denied;
    private final ProcessShares process;
    private final Deque<Point> recent = new ArrayDeque<>();
    private final Deque<Point> ofDay = new ArrayDeque<>();
    private Snapshot latest;
    private Point now;

    AlertWindow(Monitored monitored, LongSupplier denied, ProcessShares process, Snapshot first) {
        this.monitored = monitored;
        this.denied = denied;
        this.process = process;
        latest = first;
        now = Point.of(first, 0);
        recent.add(now);
        ofDay.add(now);
    }

    void onSnapshot(Snapshot snapshot) {
        latest = snapshot;
        now = Point.of(snapshot, denied.getAsLong());
        process.onSample(snapshot.takenAtNanos());
        keep(recent, STEP_NANOS, WINDOW_NANOS);
        keep(ofDay, LONG_STEP_NANOS, DAY_NANOS + LONG_STEP_NANOS);
    }

    /** Adds the present point once per step, and removes all but one of those that are older than the length. */
    private void keep(Deque<Point> points, long step, long length) {
        if (now.nanos() - points.getLast().nanos() >= step) {
            points.add(now);
        }
        Point oldest = points.removeFirst();
        while (!points.isEmpty() && now.nanos() - points.getFirst().nanos() >= length) {
            oldest = points.removeFirst();
        }
        points.addFirst(oldest);
    }

    /** Returns the last point that is at least as old, or else the oldest. */
    private static Point before(Deque<Point> points, long nanos) {
        Point found = points.getFirst();
        for (Point point : points) {
            if (point.nanos() > nanos) {
                return found;
            }
            found = point;
        }
        return found;
    }

    private Point ago(int minutes) {
        return before(recent, now.nanos() - TimeUnit.MINUTES.toNanos(minutes));
    }

    @Override
    public Optional<String> notReady() {
        return monitored.health().ready().problem();
    }

    @Override
    public long sessions() {
        return now.tally().connectedSessions();
    }

    @Override
    public long level(Counter counter) {
        return now.tally().value(counter);
    }

    @Override
    public double growth(Counter counter, int minutes) {
        return level(counter) - ago(minutes).tally().value(counter);
    }

    private Map<Code, Double> growth(Function<Snapshot.CountsByCode, Map<Code, Long>> kind, int minutes) {
        Map<Code, Long> before = kind.apply(ago(minutes).counts());
        Map<Code, Double> grown = new EnumMap<>(Code.class);
        kind.apply(now.counts()).forEach((code, count) -> {
            long growth = count - before.getOrDefault(code, 0L);
            if (growth > 0) {
                grown.put(code, (double) growth);
            }
        });
        return grown;
    }

    @Override
    public Map<Code, Double> refusals(int minutes) {
        return growth(Snapshot.CountsByCode::refusals, minutes);
    }

    @Override
    public Map<Code, Double> closes(int minutes) {
        return growth(Snapshot.CountsByCode::closes, minutes);
    }

    @Override
    public Map<Code, Double> drops(int minutes) {
        return growth(Snapshot.CountsByCode::drops, minutes);
    }

    @Override
    public double usualRefusals(Code code) {
        Point to = before(ofDay, now.nanos() - LONG_STEP_NANOS);
        Point from = ofDay.getFirst();
        long nanos = to.nanos() - from.nanos();
        return nanos == 0 ? 0 : (refused(to, code) - refused(from, code)) * 1e9 / nanos;
    }

    private static long refused(Point point, Code code) {
        return point.counts().refusals().getOrDefault(code, 0L);
    }

    @Override
    public long latencyP99Micros(int minutes) {
        return now.latency().percentileSince(ago(minutes).latency(), 0.99);
    }

    @Override
    public Map<String, Long> lagP99Micros() {
        return latest.workgroups().stream()
                .collect(Collectors.toMap(
                        WorkgroupFigures::name, workgroup -> workgroup.lag().p99Micros()));
    }

    @Override
    public double heapShare() {
        return process.heapShare();
    }

    @Override
    public double filesShare() {
        return process.filesShare();
    }

    @Override
    public OptionalDouble certificateDays() {
        return monitored.encryption().isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        (monitored.encryption().get().certificateExpires().get().toEpochMilli()
                                        - monitored.clock().getAsLong())
                                / 86_400_000.0);
    }

    @Override
    public double denied(int minutes) {
        return now.denied() - ago(minutes).denied();
    }
}
