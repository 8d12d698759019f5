package io.belfry.bench.report;

import io.belfry.bench.report.HistogramLog.Stretch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.HdrHistogram.Histogram;

/**
 * The stretches of any number of logs as if one instance had measured all of it: added, never averaged, and laid beside
 * each other by the absolute time. Immutable; its histograms are its own.
 */
public final class Merged {
    private static final long SECOND_MILLIS = 1000;

    private final List<Stretch> stretches;

    private Merged(List<Stretch> stretches) {
        this.stretches = stretches;
    }

    /** Those of one tag; empty = the untagged. */
    public static Merged of(Collection<HistogramLog> logs, String tag) {
        return new Merged(logs.stream()
                .flatMap(log -> log.stretches().stream())
                .filter(stretch -> stretch.isOf(tag))
                .toList());
    }

    public boolean isEmpty() {
        return stretches.isEmpty();
    }

    public long fromMillis() {
        return stretches.stream().mapToLong(Stretch::fromMillis).min().orElse(0);
    }

    public long toMillis() {
        return stretches.stream().mapToLong(Stretch::toMillis).max().orElse(0);
    }

    /** All values of all stretches in one histogram. */
    public Histogram total() {
        return total(stretch -> true);
    }

    private Histogram total(Predicate<Stretch> wanted) {
        Histogram sum = new Histogram(3);
        stretches.stream().filter(wanted).map(Stretch::micros).forEach(sum::add);
        return sum;
    }

    /** Everything, its time counted from the first stretch. */
    public Latency latency() {
        return latency(fromMillis());
    }

    /** Everything, its time counted from that moment. */
    public Latency latency(long originMillis) {
        return Latency.of(total(), intervals(originMillis));
    }

    /**
     * Only what was measured inside the window counts: stretches whose middle lies there, for their ends are not exact.
     * Over time there is everything, counted from the window's beginning. Where no middle lies inside, those stretches
     * count that touch the window.
     */
    public Latency latency(long windowFromMillis, long windowToMillis) {
        Histogram inside = inside(windowFromMillis, windowToMillis);
        if (inside.getTotalCount() == 0) {
            inside = total(stretch -> stretch.fromMillis() <= windowToMillis && stretch.toMillis() >= windowFromMillis);
        }
        return Latency.of(inside, intervals(windowFromMillis));
    }

    /** Those stretches whose middle lies in the window, without their course over time. */
    public Latency within(long windowFromMillis, long windowToMillis) {
        return Latency.of(inside(windowFromMillis, windowToMillis), List.of());
    }

    private Histogram inside(long fromMillis, long toMillis) {
        return total(stretch -> stretch.middleMillis() >= fromMillis && stretch.middleMillis() < toMillis);
    }

    private List<Latency.Interval> intervals(long originMillis) {
        long length = lengthMillis();
        Map<Long, Histogram> byTime = new TreeMap<>();
        for (Stretch stretch : stretches) {
            long index = Math.floorDiv(stretch.middleMillis() - originMillis, length);
            byTime.computeIfAbsent(index, i -> new Histogram(3)).add(stretch.micros());
        }
        List<Latency.Interval> intervals = new ArrayList<>();
        byTime.forEach(
                (index, micros) -> intervals.add(Latency.Interval.of(index * length / 1e3, length / 1e3, micros)));
        return intervals;
    }

    /** Of most stretches, in whole seconds: a shorter one would leave holes, a longer one would hide detail. */
    private long lengthMillis() {
        long[] lengths = stretches.stream()
                .mapToLong(stretch -> stretch.toMillis() - stretch.fromMillis())
                .sorted()
                .toArray();
        long median = lengths.length == 0 ? SECOND_MILLIS : lengths[lengths.length / 2];
        return Math.max(1, Math.round((double) median / SECOND_MILLIS)) * SECOND_MILLIS;
    }
}
