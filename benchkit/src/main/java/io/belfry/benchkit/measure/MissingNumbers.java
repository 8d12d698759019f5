package io.belfry.benchkit.measure;

import java.util.Arrays;

/**
 * The numbers of one stream that have not come yet, as ranges in ascending order. Made when the first is missing, so it
 * costs nothing where nothing is. Beyond {@link #RANGES_MAX} ranges the lowest is forgotten: its numbers stay counted as
 * lost, and one that comes after all counts as duplicated. Owner: one loop.
 */
final class MissingNumbers {
    static final int RANGES_MAX = 4096;

    /** Pairs: first missing, first present after it. */
    private long[] ranges = new long[4];

    private int used;

    /** The numbers {@code from} to {@code before - 1}, all above those added earlier. */
    void add(long from, long before) {
        if (used == 2 * RANGES_MAX) {
            System.arraycopy(ranges, 2, ranges, 0, used - 2);
            used -= 2;
        }
        if (used == ranges.length) {
            ranges = Arrays.copyOf(ranges, used * 2);
        }
        ranges[used++] = from;
        ranges[used++] = before;
    }

    /** True if {@code number} was missing; it no longer is. */
    boolean remove(long number) {
        for (int i = used - 2; i >= 0; i -= 2) {
            if (number >= ranges[i + 1]) {
                return false;
            }
            if (number >= ranges[i]) {
                split(i, number);
                return true;
            }
        }
        return false;
    }

    long countBelow(long bound) {
        long count = 0;
        for (int i = 0; i < used && ranges[i] < bound; i += 2) {
            count += Math.min(ranges[i + 1], bound) - ranges[i];
        }
        return count;
    }

    /** Takes the numbers {@code from} to {@code before - 1}. */
    interface Range {
        void accept(long from, long before);
    }

    void forEach(Range range) {
        for (int i = 0; i < used; i += 2) {
            range.accept(ranges[i], ranges[i + 1]);
        }
    }

    private void split(int at, long number) {
        long from = ranges[at];
        long before = ranges[at + 1];
        System.arraycopy(ranges, at + 2, ranges, at, used - at - 2);
        used -= 2;
        insert(at, number + 1, before);
        insert(at, from, number);
    }

    private void insert(int at, long from, long before) {
        if (from == before) {
            return;
        }
        if (used == ranges.length) {
            ranges = Arrays.copyOf(ranges, used * 2);
        }
        System.arraycopy(ranges, at, ranges, at + 2, used - at);
        ranges[at] = from;
        ranges[at + 1] = before;
        used += 2;
    }
}
