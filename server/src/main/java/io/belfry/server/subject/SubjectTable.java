package io.belfry.server.subject;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Maps subjects to dense ids by their bytes. Owner: the lane's loop.
 *
 * <p>The table is built for ten million subjects, so there is no object per subject: names are in byte pages
 * ({@link KeyPages}), an int column leads from an id to its name, and the index is open addressing over ints
 * ({@link SubjectIndex}), which grows in small parts. Freed ids and the space of names are reused from the lowest page on. The
 * index shrinks as subjects are removed, pages without subjects are given back, and an empty table gives all its memory back.
 * RoutingMemory measures bytes and nanoseconds per subject.
 */
public final class SubjectTable {
    /** The id that {@link #find} returns for an unknown subject. */
    public static final int NONE = -1;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long seed;

    /** For each id the place of its name, plus one; zero or less for a free id. */
    private IntColumn keys = new IntColumn();

    private FreeIds ids = new FreeIds(keys);
    private KeyPages names = new KeyPages();
    private SubjectIndex index;
    private final byte[] scratch = new byte[255];
    private int size;

    public SubjectTable(long seed) {
        this.seed = seed;
        index = new SubjectIndex(seed, keys, names);
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
        return ids.bound();
    }

    public int find(byte[] subject, int length, long hash) {
        return index.find(subject, length, hash);
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
        ids.restore(id);
        add(id, subject, length, hash);
    }

    /** Removes a restored subject; allowed only before {@link #endRestore}. */
    public void unrestore(int id) {
        forget(id);
        ids.unrestore(id);
    }

    /** Ends the restoring; ids that were not restored are free from now on. */
    public void endRestore() {
        ids.endRestore();
    }

    private int add(byte[] subject, int length, long hash) {
        return add(ids.take(), subject, length, hash);
    }

    private int add(int id, byte[] subject, int length, long hash) {
        keys.set(id, names.store(subject, length) + 1);
        index.add(id, hash);
        size++;
        return id;
    }

    /** Removes a subject; its id is reused for a later one. */
    public void remove(int id) {
        forget(id);
        ids.release(id);
        if (size == 0 && names.hadSeveral()) {
            beginAnew();
        }
    }

    /** Resets the empty table: frees the space of many keys and starts ids at 0 again. */
    private void beginAnew() {
        keys = new IntColumn();
        ids = new FreeIds(keys);
        names = new KeyPages();
        index = new SubjectIndex(seed, keys, names);
    }

    /** Returns the bytes of keys and index. */
    long bytes() {
        return names.bytes() + keys.bytes() + index.bytes();
    }

    private void forget(int id) {
        int unit = keys.at(id) - 1;
        int length = copyKey(id, scratch);
        index.remove(id, hash(scratch, length, seed));
        size--;
        names.remove(unit);
        keys.set(id, 0);
    }

    /** Copies the subject's bytes into {@code target}, which has room for at least 255, and returns their number. */
    public int copyKey(int id, byte[] target) {
        return names.copy(keys.at(id) - 1, target);
    }

    public byte[] key(int id) {
        byte[] copy = new byte[255];
        return Arrays.copyOf(copy, copyKey(id, copy));
    }
}
