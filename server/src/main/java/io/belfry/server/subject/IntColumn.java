package io.belfry.server.subject;

/**
 * An int for each dense id, zero until set, in pages that exist only once something in them is set: growing never
 * copies what is there, and a column nobody uses costs nothing. Owner: the lane's loop.
 */
public final class IntColumn {
    private static final int[] ZEROS = new int[ColumnPages.IDS];

    private int[][] pages = new int[0][];

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
            pages = ColumnPages.withRoom(pages, page, ZEROS);
            pages[page] = new int[ColumnPages.IDS];
        }
        pages[page][ColumnPages.slot(id)] = value;
    }
}
