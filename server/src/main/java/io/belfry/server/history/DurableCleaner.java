package io.belfry.server.history;

import io.belfry.server.subject.LongColumn;

/**
 * Lets records leave a log on disk, oldest first and whosever they are. Owner: the lane's loop.
 *
 * <p>Files cannot be mended in the middle, so here nothing is copied for the history's sake and a record leaves when it is
 * the oldest and too old, or the log is over its budget: what is in the log is always a whole number of the latest
 * messages. Only retained messages stay: when the record that holds a subject's retained message is to leave, a copy goes
 * to the head first.
 *
 * <p>When the last record of a subject leaves, nothing on disk tells its seq any more. The highest such seq is the
 * <em>floor</em>; each mark carries it, and subjects begin above it.
 */
final class DurableCleaner implements Leaving {
    private static final int STEPS_PER_TURN = 2048;

    /** A copy keeps what is behind it from leaving; it is carried on at most this often for that reason. */
    private static final long COPY_MILLIS_MIN = 3_600_000;

    private final SegmentLog log;
    private final LongColumn latest;
    private final MessageIds ids;
    private final Retained retained;
    private final History.Bounds bounds;
    private final long budgetBytes;
    private final Copying copying;

    /** Only what is on disk may leave: before this address. */
    private long durableEnd;

    private boolean suspended;
    private long floor;
    private long copied;
    private long early;

    /** Carries the retained message in a record on to the head of the log. */
    interface Copying {
        void copy(long address, long now);
    }

    DurableCleaner(
            SegmentLog log,
            LongColumn latest,
            MessageIds ids,
            Retained retained,
            History.Bounds bounds,
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

    /** While nothing can be written nothing leaves, or its seq would be known nowhere. */
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
                || (!log.isEmpty() && log.copiedAt(address) < now - Math.max(COPY_MILLIS_MIN, bounds.expireMillis()));
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

    /** All before this address leaves, whatever the bounds say. */
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
                && log.seq(address) > log.seq(newest) - bounds.sizePerSubject();
    }

    /** Whether this record is the one to get its subject's retained message from. */
    boolean isRetained(long address) {
        return log.retained(address) && retained.seq(log.subject(address)) == log.seq(address);
    }

    /** Whether another message of its subject is on its way to disk, after which it may be retained no more. */
    private boolean isWaitedFor(long address) {
        return log.retained(address) && latest.at(log.subject(address)) - 1 >= durableEnd;
    }

    boolean isExpired(long address, long now) {
        return log.time(address) < now - bounds.expireMillis();
    }
}
