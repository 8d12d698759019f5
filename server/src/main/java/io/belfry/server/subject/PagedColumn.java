package io.belfry.server.subject;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A value for each dense id, zero until set, in pages that exist only while one of their values is set: growth copies no values, and an
 * unused column takes no memory. A subclass reads and writes the values of a page. Owner: the lane's loop.
 *
 * @param <P> a page, which is an array of a primitive type
 */
@SuppressWarnings("ReferenceEquality") // The page of zeros is one object, known by identity.
abstract class PagedColumn<P> {
    /** The page of all ids whose values are zero; never written. */
    private final P zeros;

    private P[] pages;

    /** The number of values in each page that are not zero. */
    private int[] counts = new int[0];

    /** A page of zeros for the next page, so that a single value that is set and cleared in turn allocates nothing. */
    private @Nullable P spare;

    PagedColumn(P[] none, P zeros) {
        pages = none;
        this.zeros = zeros;
    }

    abstract P newPage();

    /** Returns the page of this id, only to be read. */
    final P page(int id) {
        int page = ColumnPages.page(id);
        return page < pages.length ? pages[page] : zeros;
    }

    /** Returns the page of this id, to be written; null if the page does not exist and {@code value} is zero. */
    final @Nullable P pageFor(int id, long value) {
        P page = page(id);
        return page != zeros ? page : value == 0 ? null : create(ColumnPages.page(id));
    }

    private P create(int page) {
        if (page >= pages.length) {
            int before = pages.length;
            pages = Arrays.copyOf(pages, Math.max(page + 1, before + (before >> 3) + 1));
            Arrays.fill(pages, before, pages.length, zeros);
            counts = Arrays.copyOf(counts, pages.length);
        }
        P created = spare == null ? newPage() : spare;
        pages[page] = created;
        spare = null;
        return created;
    }

    /** Called when a value of an existing page was changed. */
    final void onChange(int id, long before, long after) {
        if ((before == 0) != (after == 0)) {
            count(ColumnPages.page(id), after == 0 ? -1 : 1);
        }
    }

    private void count(int page, int change) {
        counts[page] += change;
        if (counts[page] == 0) {
            spare = pages[page];
            pages[page] = zeros;
        }
    }

    /** Called when all values of the page of this id were set to zero. */
    final void onCleared(int id) {
        int page = ColumnPages.page(id);
        count(page, -counts[page]);
    }

    /** Returns the number of pages that exist, the spare one included. */
    final long pages() {
        return Arrays.stream(pages).filter(page -> page != zeros).count() + (spare == null ? 0 : 1);
    }
}
