package io.belfry.server.subject;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A set of lanes for each dense id, as bits, empty until set. An id takes one byte on a server with up to 8 lanes, and two, four or
 * eight bytes with up to 16, 32 or 64. Owner: the lane's loop.
 */
public final class LaneSets extends PagedColumn<byte[]> {
    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** The logarithm of the bytes of an id. */
    private final int width;

    /** Creates empty sets of this number of lanes, at most 64. */
    public LaneSets(int lanes) {
        super(new byte[0][], new byte[ColumnPages.IDS << widthFor(lanes)]);
        width = widthFor(lanes);
    }

    private static int widthFor(int lanes) {
        return lanes <= Byte.SIZE ? 0 : lanes <= Short.SIZE ? 1 : lanes <= Integer.SIZE ? 2 : 3;
    }

    @Override
    byte[] newPage() {
        return new byte[ColumnPages.IDS << width];
    }

    /** Returns the lanes of the id, as bits. */
    public long at(int id) {
        return read(page(id), ColumnPages.slot(id));
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
    public void set(int id, int lane, boolean member) {
        byte[] page = pageFor(id, member ? 1 : 0);
        if (page != null) {
            int slot = ColumnPages.slot(id);
            long before = read(page, slot);
            long after = member ? before | 1L << lane : before & ~(1L << lane);
            write(page, slot, after);
            onChange(id, before, after);
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
}
