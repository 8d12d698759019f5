package io.belfry.server.subject;

import java.util.Arrays;

/**
 * The subscribers of each subject, as session slots. Owner: the lane's loop.
 *
 * <p>A single subscriber stands in the column itself; from the second on there is an array. Removal is in constant time:
 * the caller remembers the index its subscriber got and is told when another one moves into the hole.
 */
public final class SubscriberList {
    /** Told that a subscriber now stands at another index. */
    public interface Moves {
        void onMoved(int subject, int slot, int index);
    }

    private static final int INITIAL = 4;

    /** 0 none, slot + 1 a single one, ~index of an array. */
    private final IntColumn entries = new IntColumn();

    private int[][] arrays = new int[0][];
    private int[] counts = new int[0];
    private int[] freeArrays = new int[0];
    private int freeCount;
    private int arraysUsed;

    public int count(int subject) {
        int entry = entries.at(subject);
        return entry >= 0 ? Math.min(entry, 1) : counts[~entry];
    }

    /** The single subscriber's slot, or -1 where there is none or more than one. */
    public int single(int subject) {
        return Math.max(entries.at(subject), 0) - 1;
    }

    /** The array whose first {@link #count} elements are the subscribers; only where there are several. */
    public int[] several(int subject) {
        return arrays[~entries.at(subject)];
    }

    public boolean hasSeveral(int subject) {
        return entries.at(subject) < 0;
    }

    /** Adds a subscriber and returns the index it stands at. */
    public int add(int subject, int slot) {
        int entry = entries.at(subject);
        if (entry == 0) {
            entries.set(subject, slot + 1);
            return 0;
        }
        if (entry > 0) {
            int array = takeArray();
            arrays[array][0] = entry - 1;
            counts[array] = 1;
            entry = ~array;
            entries.set(subject, entry);
        }
        return append(~entry, slot);
    }

    /** Removes the subscriber at this index; the last one takes its place. */
    public void remove(int subject, int index, Moves moves) {
        int entry = entries.at(subject);
        if (entry >= 0) {
            assert entry > 0 && index == 0;
            entries.set(subject, 0);
            return;
        }
        int array = ~entry;
        int last = --counts[array];
        if (index != last) {
            int moved = arrays[array][last];
            arrays[array][index] = moved;
            moves.onMoved(subject, moved, index);
        }
        if (last == 1) {
            entries.set(subject, arrays[array][0] + 1);
            releaseArray(array);
        } else if (last < arrays[array].length >> 2 && arrays[array].length > INITIAL) {
            arrays[array] = Arrays.copyOf(arrays[array], arrays[array].length >> 1);
        }
    }

    private int append(int array, int slot) {
        int count = counts[array];
        if (count == arrays[array].length) {
            arrays[array] = Arrays.copyOf(arrays[array], count + (count >> 1));
        }
        arrays[array][count] = slot;
        counts[array] = count + 1;
        return count;
    }

    private int takeArray() {
        int array = freeCount > 0 ? freeArrays[--freeCount] : arraysUsed++;
        if (array >= arrays.length) {
            int grown = Math.max(8, array + (array >> 1));
            arrays = Arrays.copyOf(arrays, grown);
            counts = Arrays.copyOf(counts, grown);
        }
        arrays[array] = new int[INITIAL];
        return array;
    }

    @SuppressWarnings("NullAway") // a freed array's place holds nothing until it is taken again
    private void releaseArray(int array) {
        arrays[array] = null;
        if (freeCount == freeArrays.length) {
            freeArrays = Arrays.copyOf(freeArrays, Math.max(8, freeCount * 2));
        }
        freeArrays[freeCount++] = array;
    }
}
