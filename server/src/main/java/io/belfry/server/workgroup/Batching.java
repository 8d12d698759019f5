package io.belfry.server.workgroup;

import io.belfry.server.config.MessageConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which sessions' messages wait for more, so that they go out in one write, and until when: {@code MaxBatchingTime} and
 * {@code MaxBatchingSpace}. Their bytes stay pending where they are: a range of the fan-out's block, which grows with the
 * next message at no cost, or staged in the session's outbound. Owner: the lane's loop.
 *
 * <p>A session that was sent no message within that time is idle, and what comes for it goes out at once. What follows
 * waits until the first of it has waited for that time. As all wait equally long, those that wait are a list in the order
 * of their moments, linked by slots: no timer and no object for any of them, and nothing in a session.
 */
final class Batching {
    static final int NONE = -1;

    /** Moments that lie closer together are woken for once. */
    private static final long GRANULARITY_NANOS = 1_000_000;

    private static final int BLOCK_BYTES_MAX = 128 << 10;

    private final Loop loop;
    private final Runnable wake;
    private final LoopCounters counters;
    private final long timeNanos;
    private final int bytesMax;

    /** While a session's messages wait: until when. Otherwise when it was last sent some, or 0. */
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

    /** Null where no message waits for others, so that whoever does not want this pays one look at a field. */
    static @Nullable Batching of(Loop loop, Runnable beginTurn, LoopCounters counters, MessageConfig messages) {
        return messages.maxBatchingMillis() == 0 ? null : new Batching(loop, beginTurn, counters, messages);
    }

    boolean isWaiting(int slot) {
        return slot < waiting.length && waiting[slot];
    }

    /** When the oldest of the messages that wait was received. */
    long receivedNanos(int slot) {
        return received[slot];
    }

    /** Whether the session was sent messages so lately that what comes now waits for more. */
    boolean isBusy(int slot, long nowNanos) {
        return slot < moments.length && moments[slot] != 0 && nowNanos - moments[slot] < timeNanos;
    }

    /** Whether so many bytes wait for nothing more. */
    boolean isFull(int bytes) {
        if (bytes < bytesMax) {
            return false;
        }
        counters.increment(Counter.BATCHES_FULL);
        return true;
    }

    /** Whether a block in which messages wait is to begin anew: it should stay where the processor finds it soon. */
    boolean isBlockFull(int bytes) {
        return bytes >= Math.min(bytesMax, BLOCK_BYTES_MAX);
    }

    /** Messages of a busy session wait from now on. */
    void hold(int slot, long receivedNanos, long nowNanos) {
        moments[slot] = nowNanos + timeNanos;
        received[slot] = receivedNanos;
        waiting[slot] = true;
        link(slot);
        counters.increment(Counter.HELD_SESSIONS);
    }

    /** The session is sent messages, whatever waited among them. */
    void onSent(int slot, long nowNanos) {
        forget(slot);
        if (slot >= moments.length) {
            grow(Math.max(slot + 1, slot * 2));
        }
        moments[slot] = nowNanos;
    }

    /** The session is no more; whoever has its slot next begins idle. */
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

    /** The session that has waited longest, if its time is over. */
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

    /** Has the lane look again when the next one is due. */
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
