package io.belfry.server.subject;

/** A long for each dense id. Owner: the lane's loop. */
public final class LongColumn extends PagedColumn<long[]> {
    private static final long[] ZEROS = new long[ColumnPages.IDS];

    public LongColumn() {
        super(new long[0][], ZEROS);
    }

    @Override
    long[] newPage() {
        return new long[ColumnPages.IDS];
    }

    public long at(int id) {
        return page(id)[ColumnPages.slot(id)];
    }

    public void set(int id, long value) {
        long[] values = pageFor(id, value);
        if (values != null) {
            int slot = ColumnPages.slot(id);
            long before = values[slot];
            values[slot] = value;
            onChange(id, before, value);
        }
    }

    /** Returns the bytes of the pages. */
    long bytes() {
        return pages() * ColumnPages.IDS * Long.BYTES;
    }
}
