package io.belfry.server.subject;

import java.util.Arrays;

/** An int for each dense id. Owner: the lane's loop. */
public final class IntColumn extends PagedColumn<int[]> {
    private static final int[] ZEROS = new int[ColumnPages.IDS];

    public IntColumn() {
        super(new int[0][], ZEROS);
    }

    @Override
    int[] newPage() {
        return new int[ColumnPages.IDS];
    }

    public int at(int id) {
        return page(id)[ColumnPages.slot(id)];
    }

    public void set(int id, int value) {
        int[] values = pageFor(id, value);
        if (values != null) {
            int slot = ColumnPages.slot(id);
            int before = values[slot];
            values[slot] = value;
            onChange(id, before, value);
        }
    }

    /** Sets all values of a page to zero. */
    void clear(int page) {
        int first = page * ColumnPages.IDS;
        int[] values = pageFor(first, 0);
        if (values != null) {
            Arrays.fill(values, 0);
            onCleared(first);
        }
    }

    /** Returns the bytes of the pages. */
    long bytes() {
        return pages() * ColumnPages.IDS * Integer.BYTES;
    }
}
