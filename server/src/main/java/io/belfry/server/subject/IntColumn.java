package io.belfry.server.subject;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An int for each dense id, zero until set, in pages that exist only while one of their values is set: growth copies no values, and an
 * unused column takes no memory. Owner: the lane's loop.
 */
public final class IntColumn {
    private static final int[] ZEROS = new int[ColumnPages.IDS];

    private int[][] pages = new int[0][];

    /** The number of values in each page that are not zero. */
    private int[] counts = new int[0];

    /** A page of zeros for the next page, so that a single value that is set and cleared in turn allocates nothing. */
    private int @Nullable [] spare;

    public int at(int id) {
        int page = ColumnPages.page(id);
        return page < pages.length ? pages[page][ColumnPages.slot(id)] : 0;
    }

    @SuppressWarnings("ReferenceEquality") // The page of zeros is one object, known by identity.
    public void set(int id, int value) {
        int page = ColumnPages.page(id);
        if (page >= pages.length || pages[page] == ZEROS) {
            if (value == 0) {
                return;
            }
            create(page);
        }
        int[] values = pages[page];
        int slot = ColumnPages.slot(id);
        int before = values[slot];
        values[slot] = value;
        if ((before == 0) != (value == 0)) {
            count(page, value == 0 ? -1 : 1);
        }
    }

    private void create(int page) {
        pages = ColumnPages.withRoom(pages, page, ZEROS);
        if (counts.length < pages.length) {
            counts = Arrays.copyOf(counts, pages.length);
        }
        pages[page] = spare == null ? new int[ColumnPages.IDS] : spare;
        spare = null;
    }

    private void count(int page, int change) {
        counts[page] += change;
        if (counts[page] == 0) {
            spare = pages[page];
            pages[page] = ZEROS;
        }
    }

    /** Clears a page; see {@link ColumnPages}. */
    @SuppressWarnings("ReferenceEquality")
    void clear(int page) {
        if (page < pages.length && pages[page] != ZEROS) {
            Arrays.fill(pages[page], 0);
            count(page, -counts[page]);
        }
    }

    /** Returns the bytes of the pages. */
    @SuppressWarnings("ReferenceEquality")
    long bytes() {
        long used = Arrays.stream(pages).filter(page -> page != ZEROS).count() + (spare == null ? 0 : 1);
        return used * ColumnPages.IDS * Integer.BYTES;
    }
}
