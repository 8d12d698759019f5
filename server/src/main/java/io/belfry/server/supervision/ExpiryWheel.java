package io.belfry.server.supervision;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Schedules a check of each session whose token expires. Owner: the lane's loop.
 *
 * <p>A timing wheel: each bucket covers a stretch of time and holds a list linked by the sessions' slots. Adding, moving and
 * removing take constant time, and no session needs an object. A deadline further away than one turn
 * of the wheel is skipped until its turn. Without expiring tokens nothing is allocated.
 */
final class ExpiryWheel {
    private static final int NONE = -1;
    private static final int FREE = -2;
    private static final int SHIFT = 6;
    private static final int BUCKETS = 1 << 14;

    /** Sessions passed to the action between two checks of the time. */
    private static final int TAKEN_PER_CHECK = 16;

    private int[] heads = new int[0];
    private long[] dueMillis = new long[0];
    private int[] next = new int[0];
    private int[] previous = new int[0];
    private int size;

    /** Buckets before this one are done; this one was visited too, but some of its deadlines may still be ahead. */
    private long cursor;

    int size() {
        return size;
    }

    /** Schedules the slot's session for this time instead of any earlier time. */
    void set(int slot, long atMillis, long nowMillis) {
        remove(slot);
        if (heads.length == 0) {
            heads = new int[BUCKETS];
            Arrays.fill(heads, NONE);
        }
        if (size == 0) {
            cursor = nowMillis >> SHIFT;
        }
        turnBack(nowMillis);
        if (slot >= next.length) {
            grow(Math.max(slot + 1, slot + slot / 2));
        }
        dueMillis[slot] = Math.max(atMillis, cursor << SHIFT);
        link(slot);
        size++;
    }

    void remove(int slot) {
        if (slot < next.length && next[slot] != FREE) {
            unlink(slot);
            next[slot] = FREE;
            size--;
        }
    }

    /**
     * Removes the sessions whose time has come and passes each to the action, as long as {@code inTime} returns true, which is
     * asked now and then. Returns whether all were passed; otherwise the next call continues.
     */
    boolean due(long nowMillis, IntConsumer action, BooleanSupplier inTime) {
        long now = nowMillis >> SHIFT;
        turnBack(nowMillis);
        // A clock that was set far ahead costs one turn of the wheel.
        long first = Math.max(cursor, now - BUCKETS + 1);
        for (long bucket = first; bucket <= now && size > 0; bucket++) {
            if (!take((int) (bucket & BUCKETS - 1), nowMillis, action, inTime)) {
                cursor = bucket;
                return false;
            }
        }
        cursor = now;
        return true;
    }

    /** Visits earlier buckets again after the clock was set back. */
    private void turnBack(long nowMillis) {
        cursor = Math.min(cursor, nowMillis >> SHIFT);
    }

    private boolean take(int bucket, long nowMillis, IntConsumer action, BooleanSupplier inTime) {
        int slot = heads[bucket];
        int taken = 0;
        while (slot != NONE) {
            int after = next[slot];
            if (dueMillis[slot] <= nowMillis) {
                remove(slot);
                action.accept(slot);
                // The action may have removed any other session, or scheduled this one again.
                after = after != NONE && next[after] != FREE && bucketOf(after) == bucket ? after : NONE;
                if (++taken % TAKEN_PER_CHECK == 0 && !inTime.getAsBoolean()) {
                    return false;
                }
            }
            slot = after;
        }
        return true;
    }

    private int bucketOf(int slot) {
        return (int) (dueMillis[slot] >> SHIFT & BUCKETS - 1);
    }

    private void link(int slot) {
        int bucket = bucketOf(slot);
        next[slot] = heads[bucket];
        previous[slot] = NONE;
        if (heads[bucket] != NONE) {
            previous[heads[bucket]] = slot;
        }
        heads[bucket] = slot;
    }

    private void unlink(int slot) {
        if (previous[slot] == NONE) {
            heads[bucketOf(slot)] = next[slot];
        } else {
            next[previous[slot]] = next[slot];
        }
        if (next[slot] != NONE) {
            previous[next[slot]] = previous[slot];
        }
    }

    private void grow(int length) {
        int known = next.length;
        dueMillis = Arrays.copyOf(dueMillis, length);
        next = Arrays.copyOf(next, length);
        previous = Arrays.copyOf(previous, length);
        Arrays.fill(next, known, length, FREE);
    }
}
