package io.belfry.benchkit.measure;

import java.util.Arrays;

/** Gives the publishers seen by one loop small numbers, beginning at 0. Owner: that loop. */
public final class PublisherIndex {
    private static final int NONE = -1;

    private int[] ids = new int[16];
    private int[] indexes = none(16);
    private int size;
    private int lastId = NONE;
    private int lastIndex;

    /** {@code id} is 0 or more. */
    public int indexOf(int id) {
        if (id != lastId) {
            lastIndex = find(id);
            lastId = id;
        }
        return lastIndex;
    }

    /** The id that this number was given for. */
    public int idOf(int index) {
        for (int slot = 0; slot < ids.length; slot++) {
            if (indexes[slot] == index) {
                return ids[slot];
            }
        }
        throw new IllegalArgumentException("there is no publisher " + index);
    }

    public int size() {
        return size;
    }

    private int find(int id) {
        int slot = slot(id);
        if (indexes[slot] != NONE) {
            return indexes[slot];
        }
        if (2 * (size + 1) > ids.length) {
            grow();
            slot = slot(id);
        }
        ids[slot] = id;
        indexes[slot] = size;
        return size++;
    }

    /** Where {@code id} is or would be put. */
    private int slot(int id) {
        int mask = ids.length - 1;
        int slot = ((id * 0x9E3779B1) >>> 7) & mask;
        while (indexes[slot] != NONE && ids[slot] != id) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        int[] oldIds = ids;
        int[] oldIndexes = indexes;
        ids = new int[oldIds.length * 2];
        indexes = none(ids.length);
        for (int i = 0; i < oldIds.length; i++) {
            if (oldIndexes[i] != NONE) {
                int slot = slot(oldIds[i]);
                ids[slot] = oldIds[i];
                indexes[slot] = oldIndexes[i];
            }
        }
    }

    private static int[] none(int length) {
        int[] indexes = new int[length];
        Arrays.fill(indexes, NONE);
        return indexes;
    }
}
