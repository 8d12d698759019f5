package io.belfry.server.subject;

/** Divides the ids of a column into pages. Pure functions. */
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
}
