package io.belfry.server.history;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Finds kept messages by subject and message id. Owner: the lane's loop.
 *
 * <p>The index uses open addressing over log addresses and reads the ids in the log, so an entry takes eight bytes
 * and is removed with its record. A repeated publish is therefore recognised as long as the first message is cached. The
 * index is divided into segments by the hash's top bits, and each grows and shrinks on its own, so that with ten million ids
 * the loop stops for one small rehash at most.
 */
final class MessageIds {
    private static final int SEGMENT_BITS = 8;
    private static final int INITIAL = 8;
    private static final int ABSENT = -1;

    /** Maximum number of records to look at for one id to forget. */
    private static final int STEPS = 256;

    private final SegmentLog log;
    private final long[][] segments = new long[1 << SEGMENT_BITS][];
    private final int[] used = new int[1 << SEGMENT_BITS];
    private final int max;
    private int size;

    /** All ids of records before this address are forgotten. */
    private long oldest;

    private long forgotten;

    /** Creates an index of a log that bounds it. */
    MessageIds(SegmentLog log) {
        this(log, Integer.MAX_VALUE);
    }

    /**
     * Creates an index that forgets the oldest ids beyond this number. The order of the addresses must be that of the
     * publishes: no record of the log is moved.
     */
    MessageIds(SegmentLog log, int max) {
        this.log = log;
        this.max = max;
    }

    /** Returns the number of ids forgotten before their messages were removed. */
    long forgotten() {
        return forgotten;
    }

    void add(long address) {
        if (size == max) {
            forgetOldest();
        }
        int hash = hashOf(address);
        int segment = segment(hash);
        long[] slots = segments[segment];
        if (slots == null || (used[segment] + 1) * 4 > slots.length * 3) {
            slots = resize(segment, slots == null ? INITIAL : slots.length * 2);
        }
        place(slots, address, hash);
        used[segment]++;
        size++;
    }

    /**
     * Looks at a bounded number of records. Where fewer records have ids, none may be forgotten; the size of the log then
     * bounds the index to a small number of further ids.
     */
    private void forgetOldest() {
        oldest = log.recordFrom(Math.max(oldest, log.tail()));
        for (int left = STEPS; left > 0 && oldest < log.end(); left--) {
            long address = oldest;
            oldest = log.recordFrom(log.after(address));
            if (log.isMessage(address) && log.idLength(address) > 0 && remove(address)) {
                forgotten++;
                return;
            }
        }
    }

    /** Called when the log was rolled back to this address, from which on addresses are used again. */
    void rolledBack(long end) {
        oldest = Math.min(oldest, end);
    }

    /** Returns the newest record of this subject with this id, or {@link SegmentLog#NONE}. */
    long find(int subject, ByteBuf id, int idAt, int idLength) {
        int hash = hash(subject, id, idAt, idLength);
        long[] slots = segments[segment(hash)];
        long newest = SegmentLog.NONE;
        if (slots == null) {
            return newest;
        }
        int mask = slots.length - 1;
        for (int at = hash & mask; slots[at] != 0; at = (at + 1) & mask) {
            long address = slots[at] - 1;
            // A copy of an older record may have the higher address, so the seq decides.
            if (matches(address, subject, id, idAt, idLength)
                    && (newest == SegmentLog.NONE || log.seq(address) > log.seq(newest))) {
                newest = address;
            }
        }
        return newest;
    }

    /** Replaces the address of a record that was copied; both records still exist. */
    void move(long from, long to) {
        int hash = hashOf(from);
        long[] slots = slotsOf(hash);
        slots[slotOf(slots, from, hash)] = to + 1;
    }

    /** Removes the id of a record; returns false if it was forgotten before. */
    boolean remove(long address) {
        int hash = hashOf(address);
        int segment = segment(hash);
        long[] slots = segments[segment];
        int slot = slots == null ? ABSENT : slotOf(slots, address, hash);
        if (slots == null || slot == ABSENT) {
            return false;
        }
        unlink(slots, slot);
        used[segment]--;
        size--;
        if (slots.length > INITIAL && used[segment] * 8 < slots.length) {
            resize(segment, slots.length / 2);
        }
        return true;
    }

    /** Returns the number of slots of the index, which shrinks when few ids are left. */
    int capacity() {
        int capacity = 0;
        for (long[] slots : segments) {
            capacity += slots == null ? 0 : slots.length;
        }
        return capacity;
    }

    private void unlink(long[] slots, int from) {
        int mask = slots.length - 1;
        int hole = from;
        for (int at = (hole + 1) & mask; slots[at] != 0; at = (at + 1) & mask) {
            int ideal = hashOf(slots[at] - 1) & mask;
            if (((at - ideal) & mask) >= ((at - hole) & mask)) {
                slots[hole] = slots[at];
                hole = at;
            }
        }
        slots[hole] = 0;
    }

    private static int slotOf(long[] slots, long address, int hash) {
        int mask = slots.length - 1;
        int at = hash & mask;
        while (slots[at] != 0 && slots[at] != address + 1) {
            at = (at + 1) & mask;
        }
        return slots[at] == 0 ? ABSENT : at;
    }

    private long[] resize(int segment, int room) {
        long[] after = new long[room];
        long[] before = segments[segment];
        if (before != null) {
            for (long slot : before) {
                if (slot != 0) {
                    place(after, slot - 1, hashOf(slot - 1));
                }
            }
        }
        segments[segment] = after;
        return after;
    }

    private static void place(long[] into, long address, int hash) {
        int mask = into.length - 1;
        int at = hash & mask;
        while (into[at] != 0) {
            at = (at + 1) & mask;
        }
        into[at] = address + 1;
    }

    private long[] slotsOf(int hash) {
        return java.util.Objects.requireNonNull(segments[segment(hash)], "an id that was added");
    }

    private static int segment(int hash) {
        return hash >>> (Integer.SIZE - SEGMENT_BITS);
    }

    private boolean matches(long address, int subject, ByteBuf id, int idAt, int idLength) {
        return log.subject(address) == subject
                && log.idLength(address) == idLength
                && ByteBufUtil.equals(log.bytes(address), log.idOffset(address), id, idAt, idLength);
    }

    private int hashOf(long address) {
        return hash(log.subject(address), log.bytes(address), log.idOffset(address), log.idLength(address));
    }

    private static int hash(int subject, ByteBuf id, int idAt, int idLength) {
        int h = subject * 0x9E3779B9 ^ SEED;
        for (int i = 0; i < idLength; i++) {
            h = (h ^ id.getByte(idAt + i)) * 0x01000193;
        }
        h ^= h >>> 15;
        // The top bits choose the segment; multiplication spreads them, because ids a few steps apart have similar top
        // bits.
        return h * 0x2C1B3C6D ^ h >>> 13;
    }

    private static final int SEED = new java.security.SecureRandom().nextInt();
}
