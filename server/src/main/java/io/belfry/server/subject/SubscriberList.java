package io.belfry.server.subject;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The subscribers of each subject, as session slots. Owner: the lane's loop.
 *
 * <p>A single subscriber is stored in the column itself; two or more are stored in an array. Removal takes constant time:
 * the caller remembers the index of its subscriber, and is notified when another subscriber moves into the gap.
 */
public final class SubscriberList {
    /** Receives the new index of a subscriber that was moved. */
    public interface Moves {
        void onMoved(int subject, int slot, int index);
    }

    /**
     * Visits the subscribers that a subject has now, in several steps, while others are added and removed in between. Those that
     * were not visited are the first ones of the list; a subscriber that is visited out of turn, or removed, moves to their end
     * first.
     */
    public final class Visit {
        private final int subject;
        private int left;

        private Visit(int subject) {
            this.subject = subject;
            left = count(subject);
        }

        /** Returns the number of subscribers that were not visited. */
        public int left() {
            return left;
        }

        /** Visits the next subscriber and returns its slot; {@link #left} is not 0. */
        public int next() {
            return slot(subject, --left);
        }

        /** Visits the subscriber at this index; returns false if it was visited before or subscribed later. */
        public boolean visit(int index, Moves moves) {
            if (index >= left) {
                return false;
            }
            int slot = slot(subject, index);
            moves.onMoved(subject, slot, skip(index, moves));
            return true;
        }

        /** Moves the subscriber at this index behind those that were not visited; returns its new index, if it moved or not. */
        private int skip(int index, Moves moves) {
            if (index >= left) {
                return index;
            }
            left--;
            if (index != left) {
                int[] slots = several(subject);
                int other = slots[left];
                slots[left] = slots[index];
                slots[index] = other;
                moves.onMoved(subject, other, index);
            }
            return left;
        }
    }

    private static final int INITIAL = 4;

    /** A table of so many arrays is kept when none is in use. */
    private static final int ARRAYS_KEPT = 1024;

    /** 0 = no subscriber, slot + 1 = a single subscriber, ~index = the index of an array. */
    private final IntColumn entries = new IntColumn();

    private int[][] arrays = new int[0][];
    private int[] counts = new int[0];
    private int[] freeArrays = new int[0];
    private int freeCount;
    private int arraysUsed;
    private final List<Visit> visits = new ArrayList<>(0);

    /** Begins to visit the subscribers of a subject; ended by {@link #endVisit}. */
    public Visit beginVisit(int subject) {
        Visit visit = new Visit(subject);
        visits.add(visit);
        return visit;
    }

    public void endVisit(Visit visit) {
        visits.remove(visit);
    }

    private int slot(int subject, int index) {
        return hasSeveral(subject) ? several(subject)[index] : single(subject);
    }

    public int count(int subject) {
        int entry = entries.at(subject);
        return entry >= 0 ? Math.min(entry, 1) : counts[~entry];
    }

    /** Returns the slot of the only subscriber, or -1 if there is none or more than one. */
    public int single(int subject) {
        return Math.max(entries.at(subject), 0) - 1;
    }

    /** Returns the array whose first {@link #count} elements are the subscribers; valid only with two or more subscribers. */
    public int[] several(int subject) {
        return arrays[~entries.at(subject)];
    }

    public boolean hasSeveral(int subject) {
        return entries.at(subject) < 0;
    }

    /** Adds a subscriber and returns its index. */
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

    /** Removes the subscriber at this index and moves the last subscriber into its place. */
    public void remove(int subject, int index, Moves moves) {
        removeVisited(subject, visits.isEmpty() ? index : skip(subject, index, moves), moves);
    }

    private int skip(int subject, int index, Moves moves) {
        int at = index;
        for (Visit each : visits) {
            if (each.subject == subject) {
                at = each.skip(at, moves);
            }
        }
        return at;
    }

    private void removeVisited(int subject, int index, Moves moves) {
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
        if (freeCount + 1 == arraysUsed && arrays.length > ARRAYS_KEPT) {
            arrays = new int[0][];
            counts = new int[0];
            freeArrays = new int[0];
            freeCount = 0;
            arraysUsed = 0;
            return;
        }
        if (freeCount == freeArrays.length) {
            freeArrays = Arrays.copyOf(freeArrays, Math.max(8, freeCount * 2));
        }
        freeArrays[freeCount++] = array;
    }
}
