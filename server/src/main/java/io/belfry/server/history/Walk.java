package io.belfry.server.history;

import org.jspecify.annotations.Nullable;

/**
 * Iterates over the readable records of one subject, oldest first. Owner: the lane's loop.
 *
 * <p>Records are linked from the newest to the oldest, so each walk starts at the newest record. The oldest part of each walk
 * is kept. A reader that reads block after block, and other readers of the same subject, then walk once for thousands of
 * records instead of once per block (HistoryReadBenchmark).
 */
final class Walk {
    /** Number of records kept of a walk, the oldest ones. */
    static final int SIZE = 2048;

    private static final int MASK = SIZE - 1;
    private static final int NONE = -1;

    private final SegmentLog log;
    private final @Nullable Holes holes;

    /** Indexed by the number of steps from the newest record, modulo the size; only the last ones are kept. */
    private final long[] addresses = new long[SIZE];

    private final long[] seqs = new long[SIZE];

    /** The smallest time of this record and all newer ones, because no record behind an expired one is readable. */
    private final long[] times = new long[SIZE];

    /** The bytes of this record and all newer ones of the walk; kept for subjects with a bound in bytes only. */
    private long[] sums = {};

    private boolean summed;

    /** The record at which the walk began. */
    private long first;

    private int subject = NONE;
    private long above;
    private long rearranged;
    private int newest;
    private int oldest = NONE;
    private int at;

    Walk(SegmentLog log, @Nullable Holes holes) {
        this.holes = holes;
        this.log = log;
    }

    /**
     * Moves to the subject's oldest readable record above a seq, among its {@code most} newest records and those with at most
     * {@code bytesMax} bytes of content together; {@code last} is the newest readable one. Returns false if there is none.
     */
    boolean to(int wanted, long last, long aboveSeq, int most, long minTime, long bytesMax) {
        return log.time(last) >= minTime
                && (find(wanted, last, aboveSeq, minTime, bytesMax)
                        || walk(wanted, last, aboveSeq, most, minTime, bytesMax));
    }

    /** Searches the records kept of the previous walk. */
    private boolean find(int wanted, long last, long aboveSeq, long minTime, long bytesMax) {
        if (wanted != subject
                || rearranged != log.rearranged()
                || aboveSeq < above
                || oldest < newest
                || aboveSeq >= seqs[newest & MASK]) {
            return false;
        }
        int low = newest;
        for (int high = oldest; low < high; ) {
            int middle = (low + high + 1) >>> 1;
            if (seqs[middle & MASK] > aboveSeq) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        at = low;
        return log.holds(address())
                && times[at & MASK] >= minTime
                && (bytesMax == Long.MAX_VALUE || isWithin(bytesMax, last));
    }

    /** Moves to the oldest record within the bytes; returns false if none of the walk is. */
    private boolean isWithin(long bytesMax, long last) {
        if (!summed) {
            return false;
        }
        long later = 0;
        for (long address = last; address != first; address = log.previous(address)) {
            later += log.contentLength(address);
            if (later > bytesMax || !log.holds(log.previous(address))) {
                return false;
            }
        }
        while (at >= newest && later + sums[at & MASK] > bytesMax) {
            at--;
        }
        return at >= newest;
    }

    private boolean walk(int wanted, long last, long aboveSeq, int most, long minTime, long bytesMax) {
        long bytes = 0;
        summed = bytesMax < Long.MAX_VALUE;
        sums = summed && sums.length == 0 ? new long[SIZE] : sums;
        first = last;
        int steps = 0;
        long time = Long.MAX_VALUE;
        for (long address = last;
                steps < most && isReadable(address, aboveSeq, minTime);
                address = log.previous(address)) {
            bytes += log.contentLength(address);
            if (bytes > bytesMax) {
                break;
            }
            time = Math.min(time, log.time(address));
            if (summed) {
                sums[steps & MASK] = bytes;
            }
            addresses[steps & MASK] = address;
            seqs[steps & MASK] = log.seq(address);
            times[steps & MASK] = time;
            steps++;
        }
        subject = steps == 0 ? NONE : wanted;
        if (steps == 0) {
            return false;
        }
        // If the count or the bytes ended the walk, the records below were not examined.
        boolean examined = bytes <= bytesMax && (steps < most || holes == null);
        above = examined ? aboveSeq : before(addresses[(steps - 1) & MASK]);
        rearranged = log.rearranged();
        newest = Math.max(0, steps - SIZE);
        oldest = steps - 1;
        at = oldest;
        return true;
    }

    private long before(long address) {
        return holes == null ? log.seq(address) - 1 : holes.before(log, address);
    }

    /** Returns the seq before the {@code count} newest readable records, of which {@code last} is the newest. */
    long before(long last, int count, long minTime, Holes among) {
        if (!isReadable(last, NONE, minTime)) {
            return log.seq(last);
        }
        long address = last;
        for (int left = count - 1; left > 0 && isReadable(log.previous(address), NONE, minTime); left--) {
            address = log.previous(address);
        }
        return among.before(log, address);
    }

    private boolean isReadable(long address, long aboveSeq, long minTime) {
        return log.holds(address)
                && !log.isDead(address)
                && log.seq(address) > aboveSeq
                && log.time(address) >= minTime;
    }

    long address() {
        return addresses[at & MASK];
    }

    long seq() {
        return seqs[at & MASK];
    }

    /** Moves to the next newer record; returns false if this walk has no more. */
    boolean next() {
        return --at >= newest;
    }
}
