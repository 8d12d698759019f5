package io.belfry.server.history;

import io.belfry.server.subject.LongColumn;
import org.jspecify.annotations.Nullable;

/**
 * Makes room at the old end of a log, some records at a time. Owner: the lane's loop.
 *
 * <p>Records leave when they are too old, and when the log has more segments than its budget. For the budget's sake the
 * oldest segment leaves, and what then becomes of its records depends on how many of them are <em>readable</em>: among the
 * last {@code CacheSize} of their subject, young enough, and linked to their subject's latest record. Where these fill less
 * than half of it, they are copied to the head, and only the rest, remains of busy subjects, leaves. So what a quiet
 * subject keeps does not depend on how busy the others are. Where they fill more than half, the budget is too small for
 * what is wanted and the oldest messages leave early, whosever they are.
 *
 * <p>The half is meant over all segments: one that is nearly all remains earns <em>credit</em> for one that is nearly all
 * readable, or the messages of ten thousand quiet subjects that came at once would leave though all else is remains. On the
 * average a byte is copied at most for each byte of room made, and never more than half a log without making any.
 *
 * <p>A step is judging one record, letting one go, or copying one. What was judged may have changed when the record's turn
 * to leave comes, but only from readable to not. Between any two steps the history can be read and appended to.
 *
 * <p>When a record leaves early, older ones of its subject may be ahead of it, as copies. They are behind a hole then, so
 * they are <em>cut off</em> first: marked as dead, newest first, and taken out of the index of message ids. The record
 * itself leaves last. So every record in the log is linked to its subject's latest one or dead, and no link leads to a
 * subject id that has been given to another.
 */
final class Cleaner implements Leaving {
    /** As many steps a turn as take about half a millisecond where each one misses the processor's caches. */
    static final int STEPS_PER_TURN = 2048;

    /** Bytes copied in about the time of a step. */
    private static final int STEP_BYTES_SHIFT = 10;

    private final SegmentLog log;
    private final LongColumn latest;
    private final MessageIds ids;
    private final int sizePerSubject;
    private final long expireMillis;
    private final @Nullable Holes holes;

    /** The next record to judge, or none: no segment is being judged. */
    private long judging = SegmentLog.NONE;

    private long readableBytes;

    /** Records before this address leave, and readable ones are copied if that is the judgement. */
    private long leaveUntil;

    private boolean copying;
    private long copiedBytes;

    /** How much more than half of a segment may be copied. */
    private long creditBytes;

    /** The next record to be marked as dead, or none. */
    private long cutting = SegmentLog.NONE;

    private long copied;
    private long early;

    Cleaner(SegmentLog log, LongColumn latest, MessageIds ids, History.Bounds bounds, @Nullable Holes holes) {
        this.log = log;
        this.latest = latest;
        this.ids = ids;
        this.holes = holes;
        sizePerSubject = bounds.sizePerSubject();
        expireMillis = bounds.expireMillis();
        creditBytes = creditBytesMax();
    }

    private long creditBytesMax() {
        return (long) log.segmentsMax() * log.segmentBytes() / 2;
    }

    /** Records copied to the head so far. */
    @Override
    public long copied() {
        return copied;
    }

    /** Records so far that left, or were cut off, while they were readable. */
    @Override
    public long early() {
        return early;
    }

    @Override
    public boolean isDue(long now) {
        return !log.isEmpty() && (log.tail() < leaveUntil || log.segmentsOver() > 0 || isExpired(log.tail(), now));
    }

    /** Does the work of a turn: the more, the more the log is over its budget. */
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

    /** Answers what it cost. */
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
        if (log.isDead(address) || isExpired(address, now)) {
            return false;
        }
        if (holes != null) {
            return holes.isAmongLast(log.subject(address), sizePerSubject);
        }
        long newest = latest.at(log.subject(address)) - 1;
        return log.seq(address) > log.seq(newest) - sizePerSubject;
    }

    private boolean isExpired(long address, long now) {
        return log.time(address) < now - expireMillis;
    }
}
