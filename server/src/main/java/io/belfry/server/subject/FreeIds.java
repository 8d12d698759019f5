package io.belfry.server.subject;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Assigns the dense ids of subjects. Owner: the lane's loop.
 *
 * <p>Freed ids are linked through the column of their subjects: such an id has a value of zero or less. The lowest page with a
 * free id serves the next subject, and a page without subjects is cleared, so that it takes no memory here and in other columns.
 */
final class FreeIds {
    private static final int NONE = -1;

    private final IntColumn column;

    /** For each page the head of its list of freed ids, its next id that was not used, and its number of ids in use. */
    private int[] heads = new int[0];

    private int[] next = new int[0];
    private int[] counts = new int[0];
    private final BitSet withRoom = new BitSet();
    private int pageCount;
    private int bound;

    FreeIds(IntColumn column) {
        this.column = column;
    }

    /** Returns one more than the highest id assigned so far. */
    int bound() {
        return bound;
    }

    int take() {
        int page = withRoom.nextSetBit(0);
        if (page < 0) {
            page = pageCount;
            ensure(page);
        }
        int id = heads[page];
        if (id == NONE) {
            id = page * ColumnPages.IDS + next[page]++;
        } else {
            heads[page] = ~column.at(id);
        }
        counts[page]++;
        bound = Math.max(bound, id + 1);
        withRoom.set(page, heads[page] != NONE || next[page] < ColumnPages.IDS);
        return id;
    }

    void release(int id) {
        int page = ColumnPages.page(id);
        if (--counts[page] == 0) {
            column.clear(page);
            heads[page] = NONE;
            next[page] = 0;
        } else {
            column.set(id, ~heads[page]);
            heads[page] = id;
        }
        withRoom.set(page);
    }

    /** Marks an id as used before {@link #endRestore}. */
    void restore(int id) {
        int page = ColumnPages.page(id);
        ensure(page);
        counts[page]++;
        bound = Math.max(bound, id + 1);
    }

    /** Undoes {@link #restore}; the caller has cleared the id's value. */
    void unrestore(int id) {
        counts[ColumnPages.page(id)]--;
    }

    /** Frees the ids below the bound that were not restored. */
    void endRestore() {
        for (int page = 0; page < pageCount; page++) {
            int first = page * ColumnPages.IDS;
            heads[page] = NONE;
            next[page] = counts[page] == 0 ? 0 : Math.min(bound - first, ColumnPages.IDS);
            for (int id = first + next[page] - 1; id >= first; id--) {
                if (column.at(id) <= 0) {
                    column.set(id, ~heads[page]);
                    heads[page] = id;
                }
            }
            withRoom.set(page, heads[page] != NONE || next[page] < ColumnPages.IDS);
        }
    }

    private void ensure(int page) {
        if (page >= heads.length) {
            int longer = page + 1 + (page >> 3);
            heads = Arrays.copyOf(heads, longer);
            next = Arrays.copyOf(next, longer);
            counts = Arrays.copyOf(counts, longer);
        }
        for (; pageCount <= page; pageCount++) {
            heads[pageCount] = NONE;
            withRoom.set(pageCount);
        }
    }
}
