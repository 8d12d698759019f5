package io.belfry.server.subject;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The names of subjects as {@code length, bytes} in byte pages, in units of two bytes. Owner: the lane's loop.
 *
 * <p>The space of a removed name is reused for the next name of the same number of units, in the lowest page that has one, and
 * a page without names is given back. So the pages follow the names that exist, unless a few old names remain in each page.
 */
final class KeyPages {
    private static final int NONE = -1;
    private static final int PAGE_SHIFT = 18;
    private static final int PAGE_BYTES = 1 << PAGE_SHIFT;
    private static final int UNIT_SHIFT = 1;
    private static final int PAGE_UNITS = PAGE_BYTES >> UNIT_SHIFT;
    private static final int UNITS_MAX = 129;

    /** A freed name has room for a reference to the next one. */
    private static final int UNITS_MIN = Integer.BYTES >> UNIT_SHIFT;

    /** A place plus one is an int, so the names of a lane take up to 4 GB. */
    private static final int PAGES_MAX = Integer.MAX_VALUE / PAGE_UNITS;

    private static final byte[] NO_PAGE = {};
    private static final int[] NO_HEADS = {};

    private byte[][] pages = new byte[0][];

    /** For each page the heads of the lists of freed names, by units; the first four bytes of a freed name refer to the next. */
    private int[][] freed = new int[0][];

    /** For each page its number of names. */
    private int[] counts = new int[0];

    /** By units, the pages with such a freed name. */
    private final BitSet[] reusable = new BitSet[UNITS_MAX];

    private final BitSet vacant = new BitSet();
    private int pageCount;

    /** The page whose end is written, and its next unit. */
    private int current = NONE;

    private int nextUnit = PAGE_UNITS;

    KeyPages() {
        Arrays.setAll(reusable, units -> new BitSet());
    }

    /** Stores a name and returns its place. */
    int store(byte[] name, int length) {
        int unit = take(units(length));
        counts[unit / PAGE_UNITS]++;
        byte[] page = page(unit);
        int offset = offset(unit);
        page[offset] = (byte) length;
        System.arraycopy(name, 0, page, offset + 1, length);
        return unit;
    }

    /** Removes the name at this place. */
    void remove(int unit) {
        int number = unit / PAGE_UNITS;
        if (--counts[number] == 0) {
            vacate(number);
        } else {
            int units = units(length(unit));
            writeInt(unit, freed[number][units]);
            freed[number][units] = unit;
            reusable[units].set(number);
        }
    }

    int length(int unit) {
        return page(unit)[offset(unit)] & 0xFF;
    }

    /** Copies the name into {@code target} and returns its length. */
    int copy(int unit, byte[] target) {
        int length = length(unit);
        System.arraycopy(page(unit), offset(unit) + 1, target, 0, length);
        return length;
    }

    boolean is(int unit, byte[] name, int length) {
        byte[] page = page(unit);
        int offset = offset(unit);
        return (page[offset] & 0xFF) == length && Arrays.equals(page, offset + 1, offset + 1 + length, name, 0, length);
    }

    /** Returns whether more than one page was ever in use. */
    boolean hadSeveral() {
        return pageCount > 1;
    }

    long bytes() {
        return Arrays.stream(pages).mapToLong(page -> page.length).sum();
    }

    private int take(int units) {
        int number = reusable[units].nextSetBit(0);
        if (number >= 0) {
            int unit = freed[number][units];
            int next = readInt(unit);
            freed[number][units] = next;
            reusable[units].set(number, next != NONE);
            return unit;
        }
        if (units > PAGE_UNITS - nextUnit) {
            open();
        }
        int unit = current * PAGE_UNITS + nextUnit;
        nextUnit += units;
        return unit;
    }

    private void open() {
        int reused = vacant.nextSetBit(0);
        if (reused < 0 && pageCount == PAGES_MAX) {
            throw new IllegalStateException("the names of an event loop's subjects take 4 GB and cannot take more");
        }
        current = reused >= 0 ? reused : pageCount++;
        vacant.clear(current);
        nextUnit = 0;
        if (current >= pages.length) {
            int before = pages.length;
            int longer = current + 1 + (current >> 3);
            pages = Arrays.copyOf(pages, longer);
            freed = Arrays.copyOf(freed, longer);
            counts = Arrays.copyOf(counts, longer);
            Arrays.fill(pages, before, longer, NO_PAGE);
            Arrays.fill(freed, before, longer, NO_HEADS);
        }
        pages[current] = new byte[PAGE_BYTES];
        freed[current] = new int[UNITS_MAX];
        Arrays.fill(freed[current], NONE);
    }

    /** Gives an empty page back, or writes it from its beginning again if it is the current one. */
    private void vacate(int number) {
        for (int units = 0; units < UNITS_MAX; units++) {
            if (freed[number][units] != NONE) {
                freed[number][units] = NONE;
                reusable[units].clear(number);
            }
        }
        if (number == current) {
            nextUnit = 0;
        } else {
            pages[number] = NO_PAGE;
            freed[number] = NO_HEADS;
            vacant.set(number);
        }
    }

    private int readInt(int unit) {
        byte[] page = page(unit);
        int at = offset(unit);
        return (page[at] & 0xFF) << 24
                | (page[at + 1] & 0xFF) << 16
                | (page[at + 2] & 0xFF) << 8
                | (page[at + 3] & 0xFF);
    }

    private void writeInt(int unit, int value) {
        byte[] page = page(unit);
        int at = offset(unit);
        page[at] = (byte) (value >>> 24);
        page[at + 1] = (byte) (value >>> 16);
        page[at + 2] = (byte) (value >>> 8);
        page[at + 3] = (byte) value;
    }

    private byte[] page(int unit) {
        return pages[unit >>> (PAGE_SHIFT - UNIT_SHIFT)];
    }

    private static int offset(int unit) {
        return (unit << UNIT_SHIFT) & (PAGE_BYTES - 1);
    }

    /** Returns the units that a name takes with its length byte. */
    private static int units(int length) {
        return Math.max(UNITS_MIN, (length + 1 + 1) >> UNIT_SHIFT);
    }
}
