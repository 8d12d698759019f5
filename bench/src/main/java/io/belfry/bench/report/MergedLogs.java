package io.belfry.bench.report;

import io.belfry.bench.report.HistogramLog.Interval;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.HdrHistogram.Histogram;

/**
 * The intervals of any number of logs, merged as if one instance had measured everything: added, never averaged, and
 * aligned by absolute time. Immutable.
 */
public record MergedLogs(List<Interval> intervals) {
    private static final long SECOND_MILLIS = 1000;

    /** Merges the intervals of all tags. */
    public static MergedLogs of(Collection<HistogramLog> logs) {
        return new MergedLogs(
                logs.stream().flatMap(log -> log.intervals().stream()).toList());
    }

    /** The intervals with these tags; an empty text = those without a tag. */
    public MergedLogs tagged(String... tags) {
        List<String> wanted = List.of(tags);
        return where(interval -> wanted.contains(interval.tag()));
    }

    /** The intervals with this property. */
    public MergedLogs where(Predicate<Interval> property) {
        return new MergedLogs(intervals.stream().filter(property).toList());
    }

    /** Whether there is no interval. */
    public boolean isEmpty() {
        return intervals.isEmpty();
    }

    /** Start of the first interval; 0 if there is none. */
    public long fromMillis() {
        return intervals.stream().mapToLong(Interval::fromMillis).min().orElse(0);
    }

    /** End of the last interval; 0 if there is none. */
    public long toMillis() {
        return intervals.stream().mapToLong(Interval::toMillis).max().orElse(0);
    }

    /** All values in one histogram. */
    public Histogram total() {
        Histogram sum = new Histogram(3);
        intervals.stream().map(Interval::micros).forEach(sum::add);
        return sum;
    }

    /** All values, with times relative to this time. */
    public Latency latency(long originMillis) {
        return Latency.of(total(), seconds(originMillis));
    }

    /**
     * The values within a window: of the intervals whose middle is in the window, because their ends are not exact, or, if
     * there are none, of those that overlap it. The course over time has all values, relative to the start of the window.
     */
    public Latency latency(long windowFromMillis, long windowToMillis) {
        Histogram inside = inside(windowFromMillis, windowToMillis).total();
        if (inside.getTotalCount() == 0) {
            inside = where(each -> each.fromMillis() <= windowToMillis && each.toMillis() >= windowFromMillis)
                    .total();
        }
        return Latency.of(inside, seconds(windowFromMillis));
    }

    /** The values of the intervals whose middle is in the window, without the course over time. */
    public Latency within(long windowFromMillis, long windowToMillis) {
        return Latency.of(inside(windowFromMillis, windowToMillis).total(), List.of());
    }

    /** The intervals whose middle is in the window. */
    public MergedLogs inside(long fromMillis, long toMillis) {
        return where(interval -> interval.middleMillis() >= fromMillis && interval.middleMillis() < toMillis);
    }

    private List<Latency.Interval> seconds(long originMillis) {
        long length = lengthMillis();
        Map<Long, Histogram> byTime = new TreeMap<>();
        for (Interval interval : intervals) {
            long index = Math.floorDiv(interval.middleMillis() - originMillis, length);
            byTime.computeIfAbsent(index, i -> new Histogram(3)).add(interval.micros());
        }
        List<Latency.Interval> merged = new ArrayList<>();
        byTime.forEach((index, micros) -> merged.add(Latency.Interval.of(index * length / 1e3, length / 1e3, micros)));
        return merged;
    }

    /** The median length in whole seconds: shorter intervals would leave gaps, longer ones would hide detail. */
    private long lengthMillis() {
        long[] lengths = intervals.stream()
                .mapToLong(interval -> interval.toMillis() - interval.fromMillis())
                .sorted()
                .toArray();
        long median = lengths.length == 0 ? SECOND_MILLIS : lengths[lengths.length / 2];
        return Math.max(1, Math.round((double) median / SECOND_MILLIS)) * SECOND_MILLIS;
    }
}
