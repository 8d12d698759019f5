package io.belfry.server.delivery;

import java.util.Arrays;

/**
 * The slots of sessions whose writes were left to later turns, in the order in which they were added, each with the time at
 * which its oldest message was received. A slot may occur several times. Owner: the lane's loop.
 */
final class DeferredWrites {
    private static final int INITIAL = 1024;

    /** Slots beyond which memory is freed when the queue is empty. */
    private static final int KEPT = 1 << 16;

    private int[] slots = {};
    private long[] received = {};
    private int first;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    void add(int slot, long receivedNanos) {
        if (size == slots.length) {
            grow();
        }
        int at = first + size & slots.length - 1;
        slots[at] = slot;
        received[at] = receivedNanos;
        size++;
    }

    private void grow() {
        int capacity = Math.max(INITIAL, slots.length * 2);
        int[] moreSlots = new int[capacity];
        long[] moreReceived = new long[capacity];
        int untilEnd = slots.length - first;
        System.arraycopy(slots, first, moreSlots, 0, untilEnd);
        System.arraycopy(slots, 0, moreSlots, untilEnd, first);
        System.arraycopy(received, first, moreReceived, 0, untilEnd);
        System.arraycopy(received, 0, moreReceived, untilEnd, first);
        slots = moreSlots;
        received = moreReceived;
        first = 0;
    }

    /** Returns the receive time of the first slot. */
    long receivedNanos() {
        return received[first];
    }

    /** Removes the first slot and returns it. */
    int poll() {
        int slot = slots[first];
        first = first + 1 & slots.length - 1;
        size--;
        if (size == 0 && slots.length > KEPT) {
            slots = Arrays.copyOf(slots, INITIAL);
            received = Arrays.copyOf(received, INITIAL);
            first = 0;
        }
        return slot;
    }
}
