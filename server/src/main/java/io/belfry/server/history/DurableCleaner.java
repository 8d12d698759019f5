package io.belfry.server.history;

import io.belfry.server.subject.LongColumn;

/**
 * Removes records from a log on disk, the oldest first, of any subject. Owner: the lane's loop.
 *
 * <p>Files cannot be changed in the middle, so no record is copied for the history: a record is removed when it is
 * the oldest one and either expired or beyond the budget. The log therefore always holds the latest messages without a
 * gap. Only retained messages are kept longer: before the record of a subject's retained message is removed, a copy is
 * written to the head.
 *
 * <p>After the last record of a subject is removed, its seq is no longer on disk. The highest such seq is the
 * <em>floor</em>; each mark carries it, and new subjects begin above it.
 */
final class DurableCleaner implements Leaving {
    private static final int STEPS_PER_TURN = 2048;

    /** Minimum age of a copy before it is copied again. A copy keeps the records behind it from being removed. */
    private static final long COPY_MILLIS_MIN = 3_600_000;

    private final SegmentLog log;
    private final LongColumn latest;
    private final MessageIds ids;
    private final Retained retained;
    private final SubjectBounds bounds;
    private final long budgetBytes;
    private final Copying copying;

    /** Only records before this address are on disk and may be removed. */
    private long durableEnd;

    private boolean suspended;
    private long floor;
    private long copied;
    private long early;

    /** Copies the retained message of a record to the head of the log. */
    interface Copying {
        void copy(long address, long now);
    }

    DurableCleaner(
            SegmentLog log,
            LongColumn latest,
            MessageIds ids,
            Retained retained,
            SubjectBounds bounds,
            long budgetBytes,
            Copying copying) {
        this.log = log;
        this.latest = latest;
        this.ids = ids;
        this.retained = retained;
        this.bounds = bounds;
        this.budgetBytes = budgetBytes;
        this.copying = copying;
    }

    void durableEnd(long address) {
        durableEnd = address;
    }

    /** Stops removal while nothing can be written, because a removed record's seq would not be stored anywhere. */
    void suspended(boolean nothingLeaves) {
        suspended = nothingLeaves;
    }

    long floor() {
        return floor;
    }

    void raiseFloor(long seq) {
        floor = Math.max(floor, seq);
    }

    @Override
    public long copied() {
        return copied;
    }

    @Override
    public long early() {
        return early;
    }

    @Override
    public boolean isDue(long now) {
        long tail = log.tail();
        return !suspended
                && tail < durableEnd
                && (log.usedBytes() > budgetBytes || hasHadItsTime(tail, now))
                && !isWaitedFor(tail);
    }

    private boolean hasHadItsTime(long address, long now) {
        if (log.isMessage(address)) {
            return isExpired(address, now);
        }
        return log.isMark(address)
                || !isRetained(address)
                || (!log.isEmpty()
                        && log.copiedAt(address)
                                < now - Math.max(COPY_MILLIS_MIN, bounds.expireMillis(log.subject(address))));
    }

    @Override
    public void work(long now, History.Forgetting forgetting) {
        long over = Math.max(0, log.usedBytes() - budgetBytes) / log.segmentBytes();
        work(now, STEPS_PER_TURN * (int) (1 + over), forgetting);
    }

    @Override
    public void work(long now, int steps, History.Forgetting forgetting) {
        for (int left = steps; left > 0 && isDue(now); left--) {
            letGo(log.tail(), now, forgetting);
        }
    }

    /** Removes all records before this address, whatever the bounds say. */
    void leaveUntil(long address, long now, History.Forgetting forgetting) {
        while (log.tail() < address) {
            letGo(log.tail(), now, forgetting);
        }
    }

    private void letGo(long address, long now, History.Forgetting forgetting) {
        if (log.isMark(address)) {
            log.leave();
            return;
        }
        if (isRetained(address)) {
            copying.copy(address, now);
            copied++;
        }
        if (log.isCopy(address)) {
            log.leave();
        } else {
            letGoMessage(address, now, forgetting);
        }
    }

    private void letGoMessage(long address, long now, History.Forgetting forgetting) {
        int subject = log.subject(address);
        boolean last = latest.at(subject) == address + 1;
        early += isReadable(address, subject, now) ? 1 : 0;
        if (log.idLength(address) > 0) {
            ids.remove(address);
        }
        if (last) {
            raiseFloor(log.seq(address));
        }
        log.leave();
        if (last) {
            latest.set(subject, 0);
            forgetting.onHistoryGone(subject);
        }
    }

    private boolean isReadable(long address, int subject, long now) {
        long newest = latest.at(subject) - 1;
        return newest != SegmentLog.NONE
                && !isExpired(address, now)
                && log.seq(address) > log.seq(newest) - bounds.size(subject);
    }

    /** Returns whether this record holds its subject's retained message. */
    boolean isRetained(long address) {
        return log.retained(address) && retained.seq(log.subject(address)) == log.seq(address);
    }

    /** Returns whether a later message of the subject is being written to disk, which may replace the retained one. */
    private boolean isWaitedFor(long address) {
        return log.retained(address) && latest.at(log.subject(address)) - 1 >= durableEnd;
    }

    boolean isExpired(long address, long now) {
        return log.time(address) < now - bounds.expireMillis(log.subject(address));
    }
}
