package io.belfry.server.subject;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Maps subjects to dense ids by their bytes. Owner: the lane's loop.
 *
 * <p>The table is built for ten million subjects, so there is no object per subject: keys lie in an arena of
 * byte pages ({@code length, bytes}, in units of four bytes), an int column leads from an id to its key, and the hash
 * index is open addressing over ints. The index is divided into segments by the hash's top bits, and each segment grows
 * on its own. Growth therefore stops the loop only for one small rehash; one table of ten million would take a second.
 * Freed ids and freed key space are reused. The index shrinks as subjects are removed, and an empty table gives all its
 * memory back. SubjectTableBenchmark measures bytes and nanoseconds per subject.
 */
public final class SubjectTable {
    /** The id that {@link #find} returns for an unknown subject. */
    public static final int NONE = -1;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int SEGMENT_BITS = 8;
    private static final int SEGMENT_SLOTS_INITIAL = 8;
    private static final int PAGE_SHIFT = 18;
    private static final int PAGE_BYTES = 1 << PAGE_SHIFT;
    private static final int UNIT_SHIFT = 2;
    private static final int UNITS_MAX = 65;

    private final long seed;
    private final int[][] segments = new int[1 << SEGMENT_BITS][];
    private final int[] used = new int[1 << SEGMENT_BITS];
    private IntColumn keys = new IntColumn();
    private final byte[] scratch = new byte[255];
    private byte[][] pages = new byte[0][];
    private int nextUnit;

    /** Heads of the lists of freed keys, by length in units; the first four bytes of a freed key refer to the next one. */
    private final int[] freeKeys = new int[UNITS_MAX];

    /** Head of the list of freed ids, which is linked through the key column. */
    private int freeId = NONE;

    private int nextId;
    private int size;

    public SubjectTable(long seed) {
        this.seed = seed;
        Arrays.fill(freeKeys, NONE);
    }

    /**
     * Returns the hash of a subject. The seed is random, so clients cannot choose subjects that collide. All lanes share it, so
     * a hash stays valid on another lane.
     */
    public static long hash(byte[] bytes, int length, long seed) {
        long h = seed ^ (length * 0x9E3779B97F4A7C15L);
        int i = 0;
        for (; i + 8 <= length; i += 8) {
            h = mix(h ^ (long) LONGS.get(bytes, i));
        }
        long tail = 0;
        for (int shift = 0; i < length; i++, shift += 8) {
            tail |= (bytes[i] & 0xFFL) << shift;
        }
        return mix(h ^ tail);
    }

    private static long mix(long value) {
        long high = Math.multiplyHigh(value, 0xA0761D6478BD642FL);
        return (value * 0xA0761D6478BD642FL) ^ high ^ (value >>> 32);
    }

    public int size() {
        return size;
    }

    /** Returns one more than the highest id in use so far. */
    public int idBound() {
        return nextId;
    }

    public int find(byte[] subject, int length, long hash) {
        int[] slots = segments[segment(hash)];
        if (slots == null) {
            return NONE;
        }
        int mask = slots.length - 1;
        for (int at = (int) hash & mask; slots[at] != 0; at = (at + 1) & mask) {
            int id = slots[at] - 1;
            if (isKey(id, subject, length)) {
                return id;
            }
        }
        return NONE;
    }

    public int findOrAdd(byte[] subject, int length, long hash) {
        int known = find(subject, length, hash);
        return known != NONE ? known : add(subject, length, hash);
    }

    /** Returns whether a subject has this id. */
    public boolean has(int id) {
        return keys.at(id) > 0;
    }

    /**
     * Adds an unknown subject under a given free id. For start-up only: other additions are not allowed until
     * {@link #endRestore}.
     */
    public void restore(int id, byte[] subject, int length, long hash) {
        nextId = Math.max(nextId, id + 1);
        add(id, subject, length, hash);
    }

    /** Removes a restored subject; allowed only before {@link #endRestore}. */
    public void unrestore(int id) {
        forget(id);
    }

    /** Ends the restoring; ids that were not restored are free from now on. */
    public void endRestore() {
        for (int id = nextId - 1; id >= 0; id--) {
            if (!has(id)) {
                releaseId(id);
            }
        }
    }

    private int add(byte[] subject, int length, long hash) {
        return add(takeId(), subject, length, hash);
    }

    private int add(int id, byte[] subject, int length, long hash) {
        keys.set(id, storeKey(subject, length) + 1);
        int segment = segment(hash);
        int[] slots = segments[segment];
        if (slots == null || (used[segment] + 1) * 5 > slots.length * 4) {
            slots = resize(segment, slots == null ? SEGMENT_SLOTS_INITIAL : slots.length * 2);
        }
        place(slots, id, hash);
        used[segment]++;
        size++;
        return id;
    }

    /** Removes a subject; its id is reused for a later one. */
    public void remove(int id) {
        forget(id);
        releaseId(id);
        if (size == 0 && nextUnit > PAGE_BYTES >> UNIT_SHIFT) {
            beginAnew();
        }
    }

    /** Resets the empty table: frees the space of many keys and starts ids at 0 again. */
    private void beginAnew() {
        keys = new IntColumn();
        pages = new byte[0][];
        nextUnit = 0;
        Arrays.fill(freeKeys, NONE);
        freeId = NONE;
        nextId = 0;
    }

    /** Returns the bytes of keys and index. */
    long bytes() {
        long bytes = 0;
        for (int[] slots : segments) {
            bytes += slots == null ? 0 : slots.length * (long) Integer.BYTES;
        }
        for (byte[] page : pages) {
            bytes += page == null ? 0 : page.length;
        }
        return bytes;
    }

    private void forget(int id) {
        int unit = keys.at(id) - 1;
        int length = copyKey(id, scratch);
        long hash = hash(scratch, length, seed);
        int segment = segment(hash);
        unlink(segments[segment], id, hash);
        used[segment]--;
        size--;
        freeKey(unit, units(length));
        keys.set(id, 0);
        if (segments[segment].length > SEGMENT_SLOTS_INITIAL && used[segment] * 8 < segments[segment].length) {
            resize(segment, segments[segment].length / 2);
        }
    }

    /** Copies the subject's bytes into {@code target}, which has room for at least 255, and returns their number. */
    public int copyKey(int id, byte[] target) {
        int unit = keys.at(id) - 1;
        byte[] page = page(unit);
        int offset = offset(unit);
        int length = page[offset] & 0xFF;
        System.arraycopy(page, offset + 1, target, 0, length);
        return length;
    }

    public byte[] key(int id) {
        byte[] copy = new byte[255];
        return Arrays.copyOf(copy, copyKey(id, copy));
    }

    private boolean isKey(int id, byte[] subject, int length) {
        int unit = keys.at(id) - 1;
        byte[] page = page(unit);
        int offset = offset(unit);
        return (page[offset] & 0xFF) == length
                && Arrays.equals(page, offset + 1, offset + 1 + length, subject, 0, length);
    }

    private int[] resize(int segment, int room) {
        int[] before = segments[segment];
        int[] after = new int[room];
        byte[] key = scratch;
        if (before != null) {
            for (int entry : before) {
                if (entry != 0) {
                    int id = entry - 1;
                    place(after, id, hash(key, copyKey(id, key), seed));
                }
            }
        }
        segments[segment] = after;
        return after;
    }

    private static void place(int[] slots, int id, long hash) {
        int mask = slots.length - 1;
        int at = (int) hash & mask;
        while (slots[at] != 0) {
            at = (at + 1) & mask;
        }
        slots[at] = id + 1;
    }

    /** Removes an entry and shifts the following entries of its probe sequence back: no tombstones, so churn never slows lookups. */
    private void unlink(int[] slots, int id, long hash) {
        int mask = slots.length - 1;
        int hole = (int) hash & mask;
        while (slots[hole] != id + 1) {
            hole = (hole + 1) & mask;
        }
        byte[] key = scratch;
        for (int at = (hole + 1) & mask; slots[at] != 0; at = (at + 1) & mask) {
            int ideal = (int) hash(key, copyKey(slots[at] - 1, key), seed) & mask;
            if (((at - ideal) & mask) >= ((at - hole) & mask)) {
                slots[hole] = slots[at];
                hole = at;
            }
        }
        slots[hole] = 0;
    }

    private int takeId() {
        if (freeId == NONE) {
            return nextId++;
        }
        int id = freeId;
        freeId = ~keys.at(id);
        return id;
    }

    private void releaseId(int id) {
        keys.set(id, ~freeId);
        freeId = id;
    }

    private int storeKey(byte[] subject, int length) {
        int unit = takeRoom(units(length));
        byte[] page = page(unit);
        int offset = offset(unit);
        page[offset] = (byte) length;
        System.arraycopy(subject, 0, page, offset + 1, length);
        return unit;
    }

    private int takeRoom(int units) {
        int head = freeKeys[units];
        if (head != NONE) {
            freeKeys[units] = readInt(head);
            return head;
        }
        int pageUnits = PAGE_BYTES >> UNIT_SHIFT;
        int room = pageUnits - (nextUnit & (pageUnits - 1));
        if (units > room) {
            nextUnit += room;
        }
        int unit = nextUnit;
        nextUnit += units;
        ensurePage(unit >>> (PAGE_SHIFT - UNIT_SHIFT));
        return unit;
    }

    private void freeKey(int unit, int units) {
        writeInt(unit, freeKeys[units]);
        freeKeys[units] = unit;
    }

    private void ensurePage(int index) {
        if (index >= pages.length) {
            pages = Arrays.copyOf(pages, index + 1 + (index >> 3));
        }
        if (pages[index] == null) {
            pages[index] = new byte[PAGE_BYTES];
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

    /** Returns the units that a key takes with its length byte. */
    private static int units(int length) {
        return (length + 1 + 3) >> UNIT_SHIFT;
    }

    private static int segment(long hash) {
        return (int) (hash >>> (64 - SEGMENT_BITS));
    }
}
