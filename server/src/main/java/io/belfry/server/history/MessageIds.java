package io.belfry.server.history;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Finds kept messages by subject and message id. Owner: the lane's loop.
 *
 * <p>Open addressing over log addresses; the ids themselves are read where they lie in the log, so an entry is eight bytes
 * and goes when its record goes. The window in which a repeated publish is recognised is therefore the cache window.
 */
final class MessageIds {
    private static final int INITIAL = 16;

    private final SegmentLog log;
    private long[] slots = new long[INITIAL];
    private int used;

    MessageIds(SegmentLog log) {
        this.log = log;
    }

    void add(long address) {
        if ((used + 1) * 4 > slots.length * 3) {
            grow();
        }
        place(slots, address);
        used++;
    }

    /** The newest record of this subject with this id, or {@link SegmentLog#NONE}. */
    long find(int subject, ByteBuf id, int idAt, int idLength) {
        int mask = slots.length - 1;
        long newest = SegmentLog.NONE;
        for (int at = hash(subject, id, idAt, idLength) & mask; slots[at] != 0; at = (at + 1) & mask) {
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
        slots[slotOf(from)] = to + 1;
    }

    void remove(long address) {
        int mask = slots.length - 1;
        int hole = slotOf(address);
        for (int at = (hole + 1) & mask; slots[at] != 0; at = (at + 1) & mask) {
            int ideal = hashOf(slots[at] - 1) & mask;
            if (((at - ideal) & mask) >= ((at - hole) & mask)) {
                slots[hole] = slots[at];
                hole = at;
            }
        }
        slots[hole] = 0;
        used--;
    }

    private int slotOf(long address) {
        int mask = slots.length - 1;
        int at = hashOf(address) & mask;
        while (slots[at] != address + 1) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        long[] after = new long[slots.length * 2];
        for (long slot : slots) {
            if (slot != 0) {
                place(after, slot - 1);
            }
        }
        slots = after;
    }

    private void place(long[] into, long address) {
        int mask = into.length - 1;
        int at = hashOf(address) & mask;
        while (into[at] != 0) {
            at = (at + 1) & mask;
        }
        into[at] = address + 1;
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
        return h ^ h >>> 15;
    }

    private static final int SEED = new java.security.SecureRandom().nextInt();
}
