package io.belfry.benchkit.measure;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The numbers of one stream that have not arrived, as ranges in ascending order. Beyond {@link #RANGES_MAX} ranges the
 * lowest is dropped: its numbers stay counted as lost, and a message of it that arrives late counts as duplicated. Owner:
 * one loop.
 */
final class MissingNumbers {
    static final int RANGES_MAX = 4096;

    /** From the first missing number to the first number after it that has arrived. */
    private final NavigableMap<Long, Long> ranges = new TreeMap<>();

    /** Missing numbers below this one are not lost but before the subscription. */
    long firstSeen;

    MissingNumbers(long firstSeen) {
        this.firstSeen = firstSeen;
    }

    /** Adds the numbers {@code from} to {@code before - 1}, all above those added earlier. */
    void add(long from, long before) {
        if (ranges.size() == RANGES_MAX) {
            ranges.pollFirstEntry();
        }
        ranges.put(from, before);
    }

    /** Removes {@code number}; returns whether it was missing. */
    boolean remove(long number) {
        Map.Entry<Long, Long> range = ranges.floorEntry(number);
        if (range == null || number >= range.getValue()) {
            return false;
        }
        ranges.remove(range.getKey());
        if (range.getKey() < number) {
            ranges.put(range.getKey(), number);
        }
        if (number + 1 < range.getValue()) {
            ranges.put(number + 1, range.getValue());
        }
        return true;
    }

    long countBeforeFirst() {
        return ranges.headMap(firstSeen).entrySet().stream()
                .mapToLong(range -> Math.min(range.getValue(), firstSeen) - range.getKey())
                .sum();
    }

    /** Passes each range as its first number and the number after its last. */
    void forEach(BiConsumer<Long, Long> action) {
        ranges.forEach(action);
    }
}
