package io.belfry.server.history;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Finds kept messages by subject and message id. Owner: the lane's loop.
 *
 * <p>Open addressing over log addresses; the ids themselves are read where they lie in the log, so an entry is eight bytes
 * and goes when its record goes. The window in which a repeated publish is recognised is therefore the cache window. The
 * index is cut into segments by the hash's top bits and each grows and shrinks by itself, so that with ten million ids
 * the loop stands still for one small rehash at most.
 */
final class MessageIds {
    private static final int SEGMENT_BITS = 8;
    private static final int INITIAL = 8;

    private final SegmentLog log;
    private final long[][] segments = new long[1 << SEGMENT_BITS][];
    private final int[] used = new int[1 << SEGMENT_BITS];

    MessageIds(SegmentLog log) {
        this.log = log;
    }

    void add(long address) {
        int hash = hashOf(address);
        int segment = segment(hash);
        long[] slots = segments[segment];
        if (slots == null || (used[segment] + 1) * 4 > slots.length * 3) {
            slots = resize(segment, slots == null ? INITIAL : slots.length * 2);
        }
        place(slots, address, hash);
        used[segment]++;
    }

    /** The newest record of this subject with this id, or {@link SegmentLog#NONE}. */
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
            // A copy of an older record may have the higher address, so it is the seq that counts.
            if (matches(address, subject, id, idAt, idLength)
                    && (newest == SegmentLog.NONE || log.seq(address) > log.seq(newest))) {
                newest = address;
            }
        }
        return newest;
    }

    /** The record was copied; both are still there. */
    void move(long from, long to) {
        int hash = hashOf(from);
        long[] slots = slotsOf(hash);
        slots[slotOf(slots, from, hash)] = to + 1;
    }

    void remove(long address) {
        int hash = hashOf(address);
        int segment = segment(hash);
        long[] slots = slotsOf(hash);
        unlink(slots, slotOf(slots, address, hash));
        used[segment]--;
        if (slots.length > INITIAL && used[segment] * 8 < slots.length) {
            resize(segment, slots.length / 2);
        }
    }

    /** Room of the index, which it gives back when few ids are left. */
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
        while (slots[at] != address + 1) {
            at = (at + 1) & mask;
        }
        return at;
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
        // The top bits choose the segment: those of so few steps would be much alike.
        return h * 0x2C1B3C6D ^ h >>> 13;
    }

    private static final int SEED = new java.security.SecureRandom().nextInt();
}
