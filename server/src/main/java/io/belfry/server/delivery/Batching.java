package io.belfry.server.delivery;

import io.belfry.server.config.MessageConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.turn.Loop;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Holds messages of busy sessions back so that several go out in one write, as {@code MaxBatchingTime} and
 * {@code MaxBatchingSpace} configure. The bytes stay pending in place: as a range of the fan-out's block, which the
 * next message extends at no cost, or staged in the session's outbound. Owner: the lane's loop.
 *
 * <p>A session that was sent no message within that time is idle, and its next message is sent at once. The messages after it
 * wait until the first of them has waited for that time. All wait equally long, so the waiting sessions are a list in the
 * order of their deadlines, linked by slots: no timer, no object and no field of the session is needed.
 */
public final class Batching {
    static final int NONE = -1;

    /** Deadlines within this time share one wake-up. */
    private static final long GRANULARITY_NANOS = 1_000_000;

    private static final int BLOCK_BYTES_MAX = 128 << 10;

    private final Loop loop;
    private final Runnable wake;
    private final LoopCounters counters;
    private final long timeNanos;
    private final int bytesMax;

    /** The deadline while messages of the slot's session wait; otherwise the time it was last sent messages, or 0. */
    private long[] moments = new long[0];

    private long[] received = new long[0];
    private boolean[] waiting = new boolean[0];
    private int[] next = new int[0];
    private int[] previous = new int[0];
    private int first = NONE;
    private int last = NONE;
    private boolean wakeSet;

    private Batching(Loop loop, Runnable beginTurn, LoopCounters counters, MessageConfig messages) {
        this.loop = loop;
        this.counters = counters;
        timeNanos = messages.maxBatchingMillis() * 1_000_000;
        bytesMax = messages.batchBytes();
        wake = () -> {
            wakeSet = false;
            beginTurn.run();
        };
    }

    /** Returns null without batching, so that the fan-out then only checks a field. */
    public static @Nullable Batching of(Loop loop, Runnable beginTurn, LoopCounters counters, MessageConfig messages) {
        return messages.maxBatchingMillis() == 0 ? null : new Batching(loop, beginTurn, counters, messages);
    }

    boolean isWaiting(int slot) {
        return slot < waiting.length && waiting[slot];
    }

    /** Returns the receive time of the oldest waiting message. */
    long receivedNanos(int slot) {
        return received[slot];
    }

    /** Returns whether the session was sent messages so recently that further ones wait. */
    boolean isBusy(int slot, long nowNanos) {
        return slot < moments.length && moments[slot] != 0 && nowNanos - moments[slot] < timeNanos;
    }

    /** Returns whether this number of waiting bytes ends the wait. */
    boolean isFull(int bytes) {
        if (bytes < bytesMax) {
            return false;
        }
        counters.increment(Counter.BATCHES_FULL);
        return true;
    }

    /** Returns whether a block with waiting messages should be replaced, so that it stays in the processor's caches. */
    boolean isBlockFull(int bytes) {
        return bytes >= Math.min(bytesMax, BLOCK_BYTES_MAX);
    }

    /** Starts holding messages of a busy session back. */
    void hold(int slot, long receivedNanos, long nowNanos) {
        moments[slot] = nowNanos + timeNanos;
        received[slot] = receivedNanos;
        waiting[slot] = true;
        link(slot);
        counters.increment(Counter.HELD_SESSIONS);
    }

    /** Records that the session was sent messages, the waiting ones included. */
    void onSent(int slot, long nowNanos) {
        forget(slot);
        if (slot >= moments.length) {
            grow(Math.max(slot + 1, slot * 2));
        }
        moments[slot] = nowNanos;
    }

    /** Clears the slot of a closed session, so that its next session starts idle. */
    void forget(int slot) {
        if (isWaiting(slot)) {
            counters.add(Counter.HELD_SESSIONS, -1);
            waiting[slot] = false;
            unlink(slot);
        }
        if (slot < moments.length) {
            moments[slot] = 0;
        }
    }

    /** Returns the session that has waited longest, if its deadline has passed. */
    int due(long nowNanos) {
        return first != NONE && moments[first] - nowNanos <= 0 ? first : NONE;
    }

    boolean isEmpty() {
        return first == NONE;
    }

    int first() {
        return first;
    }

    int after(int slot) {
        return next[slot];
    }

    /** Schedules a turn for the next deadline. */
    void wakeInTime(long nowNanos) {
        if (first != NONE && !wakeSet) {
            wakeSet = true;
            loop.after(Math.max(GRANULARITY_NANOS, moments[first] - nowNanos), wake);
        }
    }

    private void link(int slot) {
        previous[slot] = last;
        next[slot] = NONE;
        if (last == NONE) {
            first = slot;
        } else {
            next[last] = slot;
        }
        last = slot;
    }

    private void unlink(int slot) {
        if (previous[slot] == NONE) {
            first = next[slot];
        } else {
            next[previous[slot]] = next[slot];
        }
        if (next[slot] == NONE) {
            last = previous[slot];
        } else {
            previous[next[slot]] = previous[slot];
        }
    }

    private void grow(int length) {
        moments = Arrays.copyOf(moments, length);
        received = Arrays.copyOf(received, length);
        waiting = Arrays.copyOf(waiting, length);
        next = Arrays.copyOf(next, length);
        previous = Arrays.copyOf(previous, length);
    }
}
