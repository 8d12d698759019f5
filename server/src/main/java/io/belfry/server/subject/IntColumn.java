package io.belfry.server.subject;

import java.util.Arrays;

/**
 * An int for each dense id, zero until set, in pages that exist only once something in them is set: growing never
 * copies what is there, and a column nobody uses costs nothing. Owner: the lane's loop.
 */
public final class IntColumn {
    private static final int SHIFT = 12;
    private static final int PAGE = 1 << SHIFT;
    private static final int MASK = PAGE - 1;
    private static final int[] ZEROS = new int[PAGE];

    private int[][] pages = new int[0][];

    public int at(int id) {
        int page = id >>> SHIFT;
        return page < pages.length ? pages[page][id & MASK] : 0;
    }

    @SuppressWarnings("ReferenceEquality") // The page of zeros is one object, known by identity.
    public void set(int id, int value) {
        int page = id >>> SHIFT;
        if (page >= pages.length || pages[page] == ZEROS) {
            if (value == 0) {
                return;
            }
            open(page);
        }
        pages[page][id & MASK] = value;
    }

    private void open(int page) {
        if (page >= pages.length) {
            int before = pages.length;
            pages = Arrays.copyOf(pages, Math.max(page + 1, before + (before >> 3) + 1));
            Arrays.fill(pages, before, pages.length, ZEROS);
        }
        pages[page] = new int[PAGE];
    }
}
