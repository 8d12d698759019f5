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
    private final long expireMillis;
    private final @Nullable Holes holes;

    /** Indexed by the number of steps from the newest record, modulo the size; only the last ones are kept. */
    private final long[] addresses = new long[SIZE];

    private final long[] seqs = new long[SIZE];

    /** The smallest time of this record and all newer ones, because no record behind an expired one is readable. */
    private final long[] times = new long[SIZE];

    private int subject = NONE;
    private long above;
    private long rearranged;
    private int newest;
    private int oldest = NONE;
    private int at;

    Walk(SegmentLog log, long expireMillis, @Nullable Holes holes) {
        this.holes = holes;
        this.log = log;
        this.expireMillis = expireMillis;
    }

    /**
     * Moves to the subject's oldest readable record above a seq, among its {@code most} newest records; {@code last} is the newest
     * readable one. Returns false if there is none.
     */
    boolean to(int wanted, long last, long aboveSeq, int most, long now) {
        long minTime = now - expireMillis;
        return log.time(last) >= minTime
                && (find(wanted, aboveSeq, minTime) || walk(wanted, last, aboveSeq, most, minTime));
    }

    /** Searches the records kept of the previous walk. */
    private boolean find(int wanted, long aboveSeq, long minTime) {
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
        return log.holds(address()) && times[at & MASK] >= minTime;
    }

    private boolean walk(int wanted, long last, long aboveSeq, int most, long minTime) {
        int steps = 0;
        long time = Long.MAX_VALUE;
        for (long address = last;
                steps < most && isReadable(address, aboveSeq, minTime);
                address = log.previous(address)) {
            time = Math.min(time, log.time(address));
            addresses[steps & MASK] = address;
            seqs[steps & MASK] = log.seq(address);
            times[steps & MASK] = time;
            steps++;
        }
        subject = wanted;
        // If the count ended the walk, the records below were not examined.
        above = steps < most || holes == null ? aboveSeq : holes.before(log, addresses[(steps - 1) & MASK]);
        rearranged = log.rearranged();
        newest = Math.max(0, steps - SIZE);
        oldest = steps - 1;
        at = oldest;
        return steps > 0;
    }

    /** Returns the seq before the {@code count} newest readable records, of which {@code last} is the newest. */
    long before(long last, int count, long now, Holes among) {
        long minTime = now - expireMillis;
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
