package io.belfry.server.transport;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides from the processor time of event loops whether one thread can run all of them. Owner: the first loop.
 *
 * <p>One thread is enough if the loops together have used little of a second. It is not enough if it works for some milliseconds
 * without a pause, or has used most of half a second. The time in which the collector or the system stops a thread is no work. After a
 * division that came soon the loops stay divided for longer, so that load in short bursts does not change the threads each second.
 */
final class LoopLoad {
    private static final int JOINED_BELOW_PERCENT = 40;
    private static final int DIVIDED_ABOVE_PERCENT = 60;
    private static final long DIVIDED_SPAN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long JOINED_SPAN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** After so long without a pause the processor time is observed, for another time of {@link #STREAK_NANOS}. */
    private static final long STREAK_BEGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long STREAK_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    /** A thread that has used less was stopped meanwhile. */
    private static final int STREAK_PERCENT = 80;

    private static final long LEAST_DIVIDED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MOST_DIVIDED_NANOS = TimeUnit.SECONDS.toNanos(16);

    /** A joined state that ended before was too short. */
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final LongSupplier cpuOfFirst;
    private final CpuSpan span = new CpuSpan();
    private final CpuSpan streak = new CpuSpan();
    private boolean joined;
    private boolean inStreak;
    private long changedNanos;
    private long dividedNanos = LEAST_DIVIDED_NANOS;

    /** {@code cpuOfFirst} is the processor time of the thread that runs the joined loops. */
    LoopLoad(LongSupplier cpuOfFirst, long nowNanos) {
        this.cpuOfFirst = cpuOfFirst;
        change(false, nowNanos, 0);
    }

    boolean isJoined() {
        return joined;
    }

    /** Returns whether one thread would be enough for the divided loops, which have used this processor time. */
    boolean joins(long nowNanos, long cpuOfAll) {
        if (span.nanos(nowNanos) < DIVIDED_SPAN_NANOS) {
            return false;
        }
        boolean quiet = span.percent(nowNanos, cpuOfAll) < JOINED_BELOW_PERCENT;
        span.begin(nowNanos, cpuOfAll);
        return quiet && nowNanos - changedNanos >= dividedNanos;
    }

    /** Returns after a turn whether the one thread is not enough for the joined loops; its last pause ended at this time. */
    boolean divides(long nowNanos, long pauseEndNanos) {
        return isStreak(nowNanos, pauseEndNanos) || isBusy(nowNanos);
    }

    private boolean isStreak(long nowNanos, long pauseEndNanos) {
        if (inStreak && pauseEndNanos - streak.beganNanos <= 0) {
            if (streak.nanos(nowNanos) < STREAK_NANOS) {
                return false;
            }
            long cpu = cpuOfFirst.getAsLong();
            boolean works = streak.percent(nowNanos, cpu) >= STREAK_PERCENT;
            streak.begin(nowNanos, cpu);
            return works;
        }
        inStreak = nowNanos - pauseEndNanos >= STREAK_BEGIN_NANOS;
        if (inStreak) {
            streak.begin(nowNanos, cpuOfFirst.getAsLong());
        }
        return false;
    }

    private boolean isBusy(long nowNanos) {
        if (span.nanos(nowNanos) < JOINED_SPAN_NANOS) {
            return false;
        }
        long cpu = cpuOfFirst.getAsLong();
        boolean busy = span.percent(nowNanos, cpu) > DIVIDED_ABOVE_PERCENT;
        span.begin(nowNanos, cpu);
        return busy;
    }

    void onJoined(long nowNanos) {
        change(true, nowNanos, cpuOfFirst.getAsLong());
        inStreak = false;
    }

    void onDivided(long nowNanos, long cpuOfAll) {
        boolean soon = nowNanos - changedNanos < SHORT_NANOS;
        dividedNanos = soon ? Math.min(2 * dividedNanos, MOST_DIVIDED_NANOS) : LEAST_DIVIDED_NANOS;
        change(false, nowNanos, cpuOfAll);
    }

    private void change(boolean nowJoined, long nowNanos, long cpuNanos) {
        joined = nowJoined;
        changedNanos = nowNanos;
        span.begin(nowNanos, cpuNanos);
    }

    /** The processor time that is used from some time on. */
    private static final class CpuSpan {
        private long beganNanos;
        private long cpuBefore;

        void begin(long nowNanos, long cpuNanos) {
            beganNanos = nowNanos;
            cpuBefore = cpuNanos;
        }

        long nanos(long nowNanos) {
            return nowNanos - beganNanos;
        }

        long percent(long nowNanos, long cpuNanos) {
            return (cpuNanos - cpuBefore) * 100 / nanos(nowNanos);
        }
    }
}
