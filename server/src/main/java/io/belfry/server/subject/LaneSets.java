package io.belfry.server.subject;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A set of lanes for each dense id, as bits, empty until set. An id takes one byte on a server with up to 8 lanes, and two, four or
 * eight bytes with up to 16, 32 or 64. The pages exist only while something in them is set. Owner: the lane's loop.
 */
public final class LaneSets {
    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** The logarithm of the bytes of an id. */
    private final int width;

    private final byte[] empty;
    private byte[][] pages = new byte[0][];

    /** The number of sets in each page that are not empty. */
    private int[] counts = new int[0];

    /** An empty page for the next page, so that a single set that is filled and emptied in turn allocates nothing. */
    private byte @Nullable [] spare;

    /** Creates empty sets of this number of lanes, at most 64. */
    public LaneSets(int lanes) {
        width = lanes <= Byte.SIZE ? 0 : lanes <= Short.SIZE ? 1 : lanes <= Integer.SIZE ? 2 : 3;
        empty = new byte[ColumnPages.IDS << width];
    }

    /** Returns the lanes of the id, as bits. */
    public long at(int id) {
        int page = ColumnPages.page(id);
        return page < pages.length ? read(pages[page], ColumnPages.slot(id)) : 0;
    }

    private long read(byte[] page, int slot) {
        return switch (width) {
            case 0 -> page[slot] & 0xFFL;
            case 1 -> (short) SHORTS.get(page, slot << 1) & 0xFFFFL;
            case 2 -> (int) INTS.get(page, slot << 2) & 0xFFFF_FFFFL;
            default -> (long) LONGS.get(page, slot << 3);
        };
    }

    /** Adds the lane to the id's set, or removes it. */
    @SuppressWarnings("ReferenceEquality") // The page of empty sets is one object, known by identity.
    public void set(int id, int lane, boolean member) {
        int page = ColumnPages.page(id);
        if (page >= pages.length || pages[page] == empty) {
            if (!member) {
                return;
            }
            create(page);
        }
        int slot = ColumnPages.slot(id);
        long before = read(pages[page], slot);
        long after = member ? before | 1L << lane : before & ~(1L << lane);
        write(pages[page], slot, after);
        if ((before == 0) != (after == 0)) {
            counts[page] += after == 0 ? -1 : 1;
            if (counts[page] == 0) {
                spare = pages[page];
                pages[page] = empty;
            }
        }
    }

    private void write(byte[] page, int slot, long lanes) {
        switch (width) {
            case 0 -> page[slot] = (byte) lanes;
            case 1 -> SHORTS.set(page, slot << 1, (short) lanes);
            case 2 -> INTS.set(page, slot << 2, (int) lanes);
            default -> LONGS.set(page, slot << 3, lanes);
        }
    }

    private void create(int page) {
        pages = ColumnPages.withRoom(pages, page, empty);
        if (counts.length < pages.length) {
            counts = Arrays.copyOf(counts, pages.length);
        }
        pages[page] = spare == null ? new byte[ColumnPages.IDS << width] : spare;
        spare = null;
    }
}
