package io.belfry.integration;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one epoch of a subject by sequence number, 8 bytes each: a run of an hour records tens of millions.
 * Owner: the ledger.
 */
final class LedgerEpoch {
    private static final int PAGE = 64;
    private static final long ACKNOWLEDGED = 1L << 63;
    private static final int NUMBER_BITS = 40;
    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;

    /** Publishers are stored increased by one, so that no message is 0. */
    private static final int PUBLISHERS_MAX = (1 << (63 - NUMBER_BITS)) - 1;

    private final TreeMap<Long, long[]> pages = new TreeMap<>();
    private long last = Long.MIN_VALUE;

    /** Receives the recorded messages. */
    @FunctionalInterface
    interface Visitor {
        void visit(long seq, Numbered message, boolean acknowledged);
    }

    /** Records a message; returns the message that was recorded there before, or null. */
    @Nullable
    Numbered putIfAbsent(long seq, Numbered message) {
        if (message.number() > NUMBER_MASK || message.publisher() >= PUBLISHERS_MAX) {
            throw new IllegalArgumentException("too large to be recorded: " + message);
        }
        long[] page = page(seq);
        int index = index(seq);
        if (page[index] != 0) {
            return message(page[index]);
        }
        page[index] = (message.publisher() + 1L) << NUMBER_BITS | message.number();
        last = Math.max(last, seq);
        return null;
    }

    /** Marks a recorded message as acknowledged. */
    void acknowledge(long seq) {
        page(seq)[index(seq)] |= ACKNOWLEDGED;
    }

    long last() {
        return last;
    }

    /** Visits the messages in the order of their sequence numbers. */
    void forEach(Visitor visitor) {
        pages.forEach((first, page) -> {
            for (int i = 0; i < PAGE; i++) {
                if (page[i] != 0) {
                    visitor.visit(first * PAGE + i, message(page[i]), page[i] < 0);
                }
            }
        });
    }

    private long[] page(long seq) {
        return pages.computeIfAbsent(Math.floorDiv(seq, PAGE), each -> new long[PAGE]);
    }

    private static int index(long seq) {
        return Math.floorMod(seq, PAGE);
    }

    private static Numbered message(long packed) {
        long fields = packed & ~ACKNOWLEDGED;
        return new Numbered((int) (fields >>> NUMBER_BITS) - 1, fields & NUMBER_MASK);
    }
}
