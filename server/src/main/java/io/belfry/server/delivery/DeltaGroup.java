package io.belfry.server.delivery;

import io.belfry.protocol.MessageView;
import java.util.Arrays;

/**
 * The sessions of a lane whose subscriptions to one subject ask for deltas, and the subject's latest message, from which the next
 * delta is made. Owner: the lane's loop.
 *
 * <p>A member has the base if it has received the latest message of the subject, as a whole or as a delta. It loses the base with
 * the first message that is not delivered to it, because its session lags, and gets it again with the next one that is.
 */
final class DeltaGroup {
    private static final int INITIAL = 4;
    private static final int NO_BASE = -1;

    /** Length of a base from which unused room is given back. */
    private static final int SHRUNK = 1024;

    final int subject;

    /** The index of the group in the lane's list. */
    int index;

    /** The members by open addressing: slot + 1 in the upper bits, and in the lowest one whether the member has the base. */
    private int[] members = new int[INITIAL];

    private int count;
    private int having;

    private byte[] base = new byte[0];
    private int baseLength = NO_BASE;
    private long baseEpoch;
    private long baseSeq;

    DeltaGroup(int subject, int index) {
        this.subject = subject;
        this.index = index;
    }

    // ---- members ----

    boolean isEmpty() {
        return count == 0;
    }

    boolean has(int slot) {
        return members[find(slot)] != 0;
    }

    /** Adds a member without the base. */
    void add(int slot) {
        if ((count + 1) * 2 > members.length) {
            resize(members.length * 2);
        }
        members[find(slot)] = member(slot);
        count++;
    }

    void remove(int slot) {
        int hole = find(slot);
        having -= members[hole] & 1;
        members[hole] = 0;
        int mask = members.length - 1;
        for (int at = (hole + 1) & mask; members[at] != 0; at = (at + 1) & mask) {
            if (((at - first(members[at])) & mask) >= ((at - hole) & mask)) {
                members[hole] = members[at];
                members[at] = 0;
                hole = at;
            }
        }
        count--;
        if (members.length > INITIAL && count * 8 < members.length) {
            resize(members.length / 2);
        }
    }

    /** Returns whether any member has the base. */
    boolean isBaseKnown() {
        return having > 0;
    }

    /** Returns whether the subscriber is a member and has the base. */
    boolean hasBase(int slot) {
        return (members[find(slot)] & 1) != 0;
    }

    /** Records whether the subscriber has received the latest message; no effect if it is not a member. */
    void received(int slot, boolean received) {
        int at = find(slot);
        if (members[at] != 0) {
            having -= members[at] & 1;
            members[at] = member(slot) | (received ? 1 : 0);
            having += members[at] & 1;
        }
    }

    /** Returns the place of the slot, or the empty one where it would be. */
    private int find(int slot) {
        int mask = members.length - 1;
        int at = first(member(slot));
        while (members[at] != 0 && members[at] >>> 1 != slot + 1) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private static int member(int slot) {
        return (slot + 1) << 1;
    }

    private int first(int member) {
        int hash = (member >>> 1) * 0x9E37_79B9;
        return (hash ^ (hash >>> 16)) & (members.length - 1);
    }

    private void resize(int length) {
        int[] before = members;
        members = new int[length];
        for (int member : before) {
            if (member != 0) {
                members[find((member >>> 1) - 1)] = member;
            }
        }
    }

    // ---- base ----

    byte[] base() {
        return base;
    }

    int baseLength() {
        return baseLength;
    }

    /** Returns whether the base is the message directly before this one. */
    boolean precedes(MessageView message) {
        return baseLength != NO_BASE && message.epoch() == baseEpoch && message.baseSeq() == baseSeq;
    }

    /** Returns the memory of the base. */
    int bytes() {
        return base.length;
    }

    /** Returns the memory that a base of this length would take. */
    int bytesFor(int length) {
        return length <= base.length && (base.length <= SHRUNK || length > base.length / 4) ? base.length : length;
    }

    /** Makes the message, whose data is copied, the base. */
    void keep(byte[] data, int length, MessageView message) {
        int bytes = bytesFor(length);
        base = bytes == base.length ? base : Arrays.copyOf(data, bytes);
        System.arraycopy(data, 0, base, 0, length);
        baseLength = length;
        baseEpoch = message.epoch();
        baseSeq = message.seq();
    }

    /** Forgets the base; the next message is delivered as a whole. */
    void drop() {
        base = new byte[0];
        baseLength = NO_BASE;
    }
}
