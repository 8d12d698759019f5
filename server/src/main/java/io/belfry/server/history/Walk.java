package io.belfry.server.history;

import org.jspecify.annotations.Nullable;

/**
 * Readable records of one subject, oldest first. Owner: the lane's loop.
 *
 * <p>Records are linked from the newest to the oldest, so whoever reads on has to be gone to from the newest. The oldest
 * part of each such walk is kept, so that who reads a block after the other, and who reads the same subject beside him,
 * walks once for thousands of records and not for each block (HistoryReadBenchmark).
 */
final class Walk {
    /** Records kept of a walk, the oldest of them. */
    static final int SIZE = 2048;

    private static final int MASK = SIZE - 1;
    private static final int NONE = -1;

    private final SegmentLog log;
    private final long expireMillis;
    private final @Nullable Holes holes;

    /** By the number of steps from the newest, of which the last are kept. */
    private final long[] addresses = new long[SIZE];

    private final long[] seqs = new long[SIZE];

    /** The smallest time of this record and all that were newer: none behind an expired one is readable. */
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
     * Goes to the oldest readable record of the subject above a seq, where {@code last} is its newest readable one, among
     * the {@code most} newest. Answers false where there is none.
     */
    boolean to(int wanted, long last, long aboveSeq, int most, long now) {
        long minTime = now - expireMillis;
        return log.time(last) >= minTime
                && (find(wanted, aboveSeq, minTime) || walk(wanted, last, aboveSeq, most, minTime));
    }

    /** Looks among what the walk before found. */
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
        // Where the count ended the walk, what lies below was not looked at.
        above = steps < most || holes == null ? aboveSeq : holes.before(log, addresses[(steps - 1) & MASK]);
        rearranged = log.rearranged();
        newest = Math.max(0, steps - SIZE);
        oldest = steps - 1;
        at = oldest;
        return steps > 0;
    }

    /** The seq behind which the {@code count} newest readable records lie, of which {@code last} is the newest. */
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

    /** Goes to the next newer record; answers false where this walk has no more. */
    boolean next() {
        return --at >= newest;
    }
}
