package io.belfry.server.subject;

import java.util.Arrays;

/**
 * Finds the id of a subject by its name: open addressing over ints, in segments that a directory leads to by the hash's top bits.
 * Owner: the lane's loop.
 *
 * <p>A segment grows by a quarter at a time, so little of it is unused. A segment of {@value #ENTRIES_MAX} entries is divided into
 * two (extendible hashing), so the longest pause is the rehash of one segment, whatever the size of the table. An entry has an
 * id and eight bits of the hash, so that a search reads the name of hardly any other subject.
 *
 * <p>Bits of a hash: 0 to 23 place an entry in its segment, 24 to 39 select the home ({@link SubjectKey#home}), 40 to 47 are in
 * the entry, and the top ones select the segment.
 */
final class SubjectIndex {
    private static final int DEPTH_INITIAL = 8;

    /** At this depth of the directory a segment grows instead of being divided. */
    private static final int DEPTH_MAX = 16;

    static final int ENTRIES_MAX = 4096;
    private static final int ENTRIES_INITIAL = 8;

    // The first ints of a segment: its number of subjects, the bits of the hash that all its subjects share, and the
    // bits of an
    // entry with its id plus one.
    private static final int USED = 0;
    private static final int DEPTH = 1;
    private static final int ID_BITS = 2;
    private static final int HEADER = 3;

    private static final int HASH_SHIFT = 24;
    private static final int SHORT_IDS = (1 << HASH_SHIFT) - 1;
    private static final int[] NONE = {};

    private final long seed;
    private final IntColumn keys;
    private final KeyPages names;
    private final byte[] scratch = new byte[255];
    private int[][] directory = new int[1 << DEPTH_INITIAL][];
    private int shift = Long.SIZE - DEPTH_INITIAL;

    /** Creates an empty index of the subjects whose names these are; an id leads to the place of its name plus one. */
    SubjectIndex(long seed, IntColumn keys, KeyPages names) {
        this.seed = seed;
        this.keys = keys;
        this.names = names;
        Arrays.fill(directory, NONE);
    }

    /** Returns the id of a subject, or {@link SubjectTable#NONE}. */
    int find(byte[] subject, int length, long hash) {
        int[] segment = directory[(int) (hash >>> shift)];
        if (segment.length == 0) {
            return SubjectTable.NONE;
        }
        int idBits = segment[ID_BITS];
        int hashBits = hashBits(hash);
        int end = segment.length;
        int at = place(hash, end);
        for (int entry = segment[at]; entry != 0; entry = segment[at]) {
            if (((entry ^ hashBits) & ~idBits) == 0) {
                int id = (entry & idBits) - 1;
                if (names.is(keys.at(id) - 1, subject, length)) {
                    return id;
                }
            }
            at = at + 1 == end ? HEADER : at + 1;
        }
        return SubjectTable.NONE;
    }

    /** Adds a subject that has a name and is not in the index. */
    void add(int id, long hash) {
        int[] segment = withRoom(hash);
        if (id >= segment[ID_BITS]) {
            segment = replace(segment, hash, segment.length - HEADER, Integer.MAX_VALUE);
        }
        put(segment, id, hash);
        segment[USED]++;
    }

    /** Removes a subject, which still has its name. */
    void remove(int id, long hash) {
        int[] segment = directory[(int) (hash >>> shift)];
        unlink(segment, id, hash);
        segment[USED]--;
        int entries = segment.length - HEADER;
        if (entries > ENTRIES_INITIAL && segment[USED] * 8 < entries) {
            replace(segment, hash, Math.max(ENTRIES_INITIAL, entries / 2), segment[ID_BITS]);
        }
    }

    /** Returns the bytes of the entries. */
    long bytes() {
        long ints = 0;
        for (int i = 0; i < directory.length; ) {
            int[] segment = directory[i];
            ints += segment.length;
            i += segment.length == 0 ? 1 : 1 << (Long.SIZE - shift - segment[DEPTH]);
        }
        return ints * Integer.BYTES;
    }

    /** Returns the segment of a hash with room for one more subject. */
    private int[] withRoom(long hash) {
        int[] segment = directory[(int) (hash >>> shift)];
        if (segment.length == 0) {
            return create(hash);
        }
        while ((segment[USED] + 1) * 6L > (segment.length - HEADER) * 5L) {
            int entries = segment.length - HEADER;
            if (entries < ENTRIES_MAX || segment[DEPTH] == DEPTH_MAX) {
                int grown = entries + Math.max(4, entries >> 2);
                segment = replace(
                        segment, hash, entries < ENTRIES_MAX ? Math.min(grown, ENTRIES_MAX) : grown, segment[ID_BITS]);
            } else {
                divide(segment, hash);
                segment = directory[(int) (hash >>> shift)];
            }
        }
        return segment;
    }

    private int[] create(long hash) {
        // An empty directory entry was never divided.
        int[] segment = segment(ENTRIES_INITIAL, DEPTH_INITIAL, SHORT_IDS);
        link(segment, hash);
        return segment;
    }

    private static int[] segment(int entries, int depth, int idBits) {
        int[] segment = new int[HEADER + entries];
        segment[DEPTH] = depth;
        segment[ID_BITS] = idBits;
        return segment;
    }

    /** Makes all entries of the directory that begin with the segment's bits of the hash lead to it. */
    private void link(int[] segment, long hash) {
        int free = Long.SIZE - shift - segment[DEPTH];
        int first = (int) (hash >>> shift) >>> free << free;
        Arrays.fill(directory, first, first + (1 << free), segment);
    }

    /** Replaces a segment by one of another size or with other entries. */
    private int[] replace(int[] before, long hash, int entries, int idBits) {
        int[] after = segment(entries, before[DEPTH], idBits);
        after[USED] = before[USED];
        for (int at = HEADER; at < before.length; at++) {
            if (before[at] != 0) {
                int id = id(before, at);
                put(after, id, hashOf(id));
            }
        }
        link(after, hash);
        return after;
    }

    /** Replaces a segment by two, which the next bit of the hash selects. */
    private void divide(int[] before, long hash) {
        int depth = before[DEPTH] + 1;
        if (Long.SIZE - shift < depth) {
            extendDirectory();
        }
        long bit = 1L << (Long.SIZE - depth);
        long[] hashes = new long[before.length];
        int high = 0;
        for (int at = HEADER; at < before.length; at++) {
            if (before[at] != 0) {
                hashes[at] = hashOf(id(before, at));
                high += (hashes[at] & bit) == 0 ? 0 : 1;
            }
        }
        int[] ofZero = segment(entriesFor(before[USED] - high), depth, before[ID_BITS]);
        int[] ofOne = segment(entriesFor(high), depth, before[ID_BITS]);
        for (int at = HEADER; at < before.length; at++) {
            if (before[at] != 0) {
                int[] half = (hashes[at] & bit) == 0 ? ofZero : ofOne;
                put(half, id(before, at), hashes[at]);
                half[USED]++;
            }
        }
        link(ofZero, hash & ~bit);
        link(ofOne, hash | bit);
    }

    /** Returns the entries of a new segment of this number of subjects, with room for some more. */
    private static int entriesFor(int subjects) {
        return ENTRIES_INITIAL + subjects + subjects / 3;
    }

    private void extendDirectory() {
        int[][] longer = new int[directory.length * 2][];
        for (int i = 0; i < longer.length; i++) {
            longer[i] = directory[i >> 1];
        }
        directory = longer;
        shift--;
    }

    private long hashOf(int id) {
        return SubjectTable.hash(scratch, names.copy(keys.at(id) - 1, scratch), seed);
    }

    private static int hashBits(long hash) {
        return (int) (hash >>> 40) << HASH_SHIFT;
    }

    /** Returns where the search for a hash begins in a segment of this length. */
    private static int place(long hash, int length) {
        return HEADER + (int) (((hash & 0xFF_FFFF) * (length - HEADER)) >>> 24);
    }

    private static int id(int[] segment, int at) {
        return (segment[at] & segment[ID_BITS]) - 1;
    }

    private static void put(int[] segment, int id, long hash) {
        int at = place(hash, segment.length);
        while (segment[at] != 0) {
            at = at + 1 == segment.length ? HEADER : at + 1;
        }
        segment[at] = id + 1 | (hashBits(hash) & ~segment[ID_BITS]);
    }

    /** Removes an entry and moves the following ones of its search back: there are no tombstones, so churn never slows searches. */
    private void unlink(int[] segment, int id, long hash) {
        int end = segment.length;
        int entries = end - HEADER;
        int hole = place(hash, end);
        while (id(segment, hole) != id) {
            hole = hole + 1 == end ? HEADER : hole + 1;
        }
        int at = hole + 1 == end ? HEADER : hole + 1;
        while (segment[at] != 0) {
            int from = place(hashOf(id(segment, at)), end);
            if (Math.floorMod(at - from, entries) >= Math.floorMod(at - hole, entries)) {
                segment[hole] = segment[at];
                hole = at;
            }
            at = at + 1 == end ? HEADER : at + 1;
        }
        segment[hole] = 0;
    }
}
