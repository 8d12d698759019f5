package io.belfry.server.history;

import io.belfry.server.subject.LongColumn;
import org.jspecify.annotations.Nullable;

/**
 * Frees space at the tail of a log in memory, some records at a time. Owner: the lane's loop.
 *
 * <p>Records are removed when they expire, and when the log has more segments than its budget. To stay within the budget the
 * oldest segment is freed. The treatment of its records depends on how many of them are <em>readable</em>: among the
 * last {@code CacheSize} of their subject, not expired, and linked to their subject's latest record. If these fill less
 * than half of the segment, they are copied to the head and only the remains of busy subjects are removed. The history of a
 * quiet subject therefore does not depend on how busy the others are. If they fill more than half, the budget is too small
 * for the configured bounds, and the oldest messages of all subjects are removed early.
 *
 * <p>The half is an average over all segments: a segment that holds almost only remains earns <em>credit</em> for one that is
 * almost entirely readable. Without credit, ten thousand messages that quiet subjects published at once would be removed
 * although everything else consists of remains. On average at most one byte is copied per byte freed, and never more than
 * half a log is copied without freeing any.
 *
 * <p>A step judges one record, removes one, or copies one. A judgement may be outdated when the record's turn
 * comes, but it can only change from readable to not readable. Between two steps the history can be read and appended to.
 *
 * <p>When a record is removed early, copies of older records of its subject may be ahead of it. They would be behind a hole,
 * so they are <em>cut off</em> first: marked as dead, newest first, and removed from the index of message ids. The record
 * itself is removed last. Every record in the log is therefore either linked to its subject's latest record or dead, and no
 * link leads to a subject id that has been reused.
 */
final class Cleaner implements Leaving {
    /** Maximum steps per turn: about half a millisecond if every step misses the processor's caches. */
    static final int STEPS_PER_TURN = 2048;

    /** Copying this many bytes, as a shift, takes about as long as one step. */
    private static final int STEP_BYTES_SHIFT = 10;

    private final SegmentLog log;
    private final LongColumn latest;
    private final LongColumn removed;
    private final MessageIds ids;
    private final SubjectBounds bounds;
    private final @Nullable Holes holes;

    /** The next record to judge, or NONE while no segment is being judged. */
    private long judging = SegmentLog.NONE;

    private long readableBytes;

    /** Records before this address are removed; readable ones are copied first if the judgement requires it. */
    private long leaveUntil;

    private boolean copying;
    private long copiedBytes;

    /** Bytes beyond half of a segment that may be copied. */
    private long creditBytes;

    /** The next record to mark as dead, or NONE. */
    private long cutting = SegmentLog.NONE;

    private long copied;
    private long early;

    /** Creates a cleaner; {@code removed} has the seq of each subject's last removal, before which no record is readable. */
    Cleaner(
            SegmentLog log,
            LongColumn latest,
            LongColumn removed,
            MessageIds ids,
            SubjectBounds bounds,
            @Nullable Holes holes) {
        this.log = log;
        this.latest = latest;
        this.removed = removed;
        this.ids = ids;
        this.holes = holes;
        this.bounds = bounds;
        creditBytes = creditBytesMax();
    }

    private long creditBytesMax() {
        return (long) log.segmentsMax() * log.segmentBytes() / 2;
    }

    /** Returns the number of records copied to the head. */
    @Override
    public long copied() {
        return copied;
    }

    /** Returns the number of records that were removed or cut off while they were readable. */
    @Override
    public long early() {
        return early;
    }

    @Override
    public boolean isDue(long now) {
        return !log.isEmpty() && (log.tail() < leaveUntil || log.segmentsOver() > 0 || isExpired(log.tail(), now));
    }

    /** Does one turn's work, which grows with the excess over the budget. */
    @Override
    public void work(long now, History.Forgetting forgetting) {
        work(now, STEPS_PER_TURN * Math.max(1, log.segmentsOver()), forgetting);
    }

    @Override
    public void work(long now, int steps, History.Forgetting forgetting) {
        for (int left = steps; left > 0 && isDue(now); ) {
            left -= step(now, forgetting);
        }
    }

    /** Does one step and returns its cost. */
    private int step(long now, History.Forgetting forgetting) {
        if (cutting != SegmentLog.NONE) {
            cutOff(now);
        } else if (log.tail() < leaveUntil || log.segmentsOver() == 0) {
            boolean readable = isReadable(log.tail(), now);
            if (readable && copying) {
                return copy();
            }
            letGo(readable, forgetting);
        } else {
            judge(now);
        }
        return 1;
    }

    private void judge(long now) {
        if (judging == SegmentLog.NONE) {
            judging = log.tail();
            readableBytes = 0;
        }
        long left = log.tailSegmentEnd() - judging;
        long affordedBytes = (log.segmentBytes() + creditBytes) / 2;
        if (readableBytes > affordedBytes || readableBytes + left <= affordedBytes) {
            copying = readableBytes <= affordedBytes;
            copiedBytes = 0;
            leaveUntil = log.tailSegmentEnd();
            judging = SegmentLog.NONE;
        } else {
            int length = log.length(judging);
            readableBytes += isReadable(judging, now) ? length : 0;
            judging += length;
        }
    }

    private int copy() {
        long address = log.tail();
        long copy = log.appendCopy(address);
        int subject = log.subject(address);
        if (latest.at(subject) == address + 1) {
            latest.set(subject, copy + 1);
        }
        if (log.idLength(address) > 0) {
            ids.move(address, copy);
        }
        copied++;
        copiedBytes += log.length(copy);
        leave();
        return 1 + (log.length(copy) >>> STEP_BYTES_SHIFT);
    }

    private void letGo(boolean readable, History.Forgetting forgetting) {
        long address = log.tail();
        if (log.isDead(address)) {
            goes(address);
            leave();
        } else if (isLive(log.previous(address))) {
            cutting = log.previous(address);
        } else {
            int subject = log.subject(address);
            boolean last = latest.at(subject) == address + 1;
            takeAway(address, readable);
            goes(address);
            leave();
            if (last) {
                latest.set(subject, 0);
                forgetting.onHistoryGone(subject);
            }
        }
    }

    private void goes(long address) {
        if (holes != null) {
            holes.onLeft(log.subject(address), log.seq(address));
        }
    }

    private void leave() {
        log.leave();
        if (copying && log.tail() >= leaveUntil) {
            copying = false;
            creditBytes = Math.clamp(creditBytes + log.segmentBytes() - 2 * copiedBytes, 0, creditBytesMax());
        }
    }

    private void cutOff(long now) {
        takeAway(cutting, isReadable(cutting, now));
        log.kill(cutting);
        long previous = log.previous(cutting);
        cutting = isLive(previous) ? previous : SegmentLog.NONE;
    }

    private void takeAway(long address, boolean readable) {
        early += readable ? 1 : 0;
        if (log.idLength(address) > 0) {
            ids.remove(address);
        }
    }

    private boolean isLive(long address) {
        return log.holds(address) && !log.isDead(address);
    }

    private boolean isReadable(long address, long now) {
        if (log.isDead(address) || isExpired(address, now) || log.seq(address) < removed.at(log.subject(address))) {
            return false;
        }
        if (holes != null) {
            return holes.isAmongLast(log.subject(address), bounds.size(log.subject(address)));
        }
        int subject = log.subject(address);
        long newest = latest.at(subject) - 1;
        return log.seq(address) > log.seq(newest) - bounds.size(subject);
    }

    private boolean isExpired(long address, long now) {
        return log.time(address) < now - bounds.expireMillis(log.subject(address));
    }
}
