package io.belfry.server.subject;

import java.util.Arrays;

/** Divides the ids of a column into pages. Pure functions; a page is an array of a primitive type. */
final class ColumnPages {
    private static final int SHIFT = 12;

    /** The number of ids in a page. */
    static final int IDS = 1 << SHIFT;

    private ColumnPages() {}

    /** Returns the number of the page of this id. */
    static int page(int id) {
        return id >>> SHIFT;
    }

    /** Returns the index of this id in its page. */
    static int slot(int id) {
        return id & (IDS - 1);
    }

    /** Returns the pages with room for this one: a longer table if necessary, whose new pages are {@code zeros}. */
    static <P> P[] withRoom(P[] pages, int page, P zeros) {
        if (page < pages.length) {
            return pages;
        }
        int before = pages.length;
        P[] longer = Arrays.copyOf(pages, Math.max(page + 1, before + (before >> 3) + 1));
        Arrays.fill(longer, before, longer.length, zeros);
        return longer;
    }
}
