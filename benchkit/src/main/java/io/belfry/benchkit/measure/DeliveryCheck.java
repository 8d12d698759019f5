package io.belfry.benchkit.measure;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether one client got every message of its subjects, once and in order. Owner: the client's loop.
 *
 * <p>It looks twice. The numbers in the stamps say what each publisher meant each subject to receive, so they find what
 * was lost anywhere on the way; a number first counts as lost and becomes reordered if it comes later. The positions say
 * what the server ordered, so from the subscription on they find even the first messages of a stream missing. Slots are
 * the client's subjects, 0 to n - 1.
 */
public final class DeliveryCheck {
    private static final int EPOCH = 0;
    private static final int SEQ = 1;
    private static final int DISTINCT = 2;
    private static final int PER_SLOT = 3;
    private static final long NO_EPOCH = -1;

    /** Epoch, seq and number of different messages of each slot. */
    private final long[] slots;

    /** The highest number of each publisher in each slot: publisher * slots + slot, so that publishers append. */
    private long[] highest;

    private @Nullable Map<Integer, Missing> missing;

    /** {@code firstSeen}: numbers below it were never expected. */
    private record Missing(long firstSeen, MissingNumbers numbers) {}

    public DeliveryCheck(int slotCount) {
        slots = new long[slotCount * PER_SLOT];
        highest = new long[slotCount];
        for (int at = 0; at < slots.length; at += PER_SLOT) {
            slots[at + EPOCH] = NO_EPOCH;
        }
    }

    /** The subscription stands; the next message is the one after {@code seq}. */
    public void subscribed(int slot, long epoch, long seq) {
        slots[slot * PER_SLOT + EPOCH] = epoch;
        slots[slot * PER_SLOT + SEQ] = seq;
    }

    /** {@code prev} is the seq of the subject's message before this one. */
    public void position(int slot, long epoch, long seq, long prev, Counts counts) {
        int at = slot * PER_SLOT;
        long lastSeq = slots[at + SEQ];
        if (slots[at + EPOCH] != epoch) {
            if (slots[at + EPOCH] != NO_EPOCH) {
                counts.add(Count.EPOCH_CHANGES);
            }
            slots[at + EPOCH] = epoch;
        } else if (seq <= lastSeq) {
            counts.add(Count.POSITIONS_REPEATED);
            return;
        } else if (prev > lastSeq) {
            counts.add(Count.POSITIONS_MISSING, prev - lastSeq);
        }
        slots[at + SEQ] = seq;
    }

    /** The server said that nothing up to {@code seq} comes: those positions are announced, not missing. */
    public void gap(int slot, long epoch, long seq) {
        int at = slot * PER_SLOT;
        if (slots[at + EPOCH] != epoch || slots[at + SEQ] < seq) {
            subscribed(slot, epoch, seq);
        }
    }

    /** {@code publisher} is a {@link PublisherIndex} number, {@code number} the stamp's sequence. */
    public void arrived(int slot, int publisher, long number, Counts counts) {
        int stream = publisher * slotCount() + slot;
        if (stream >= highest.length) {
            highest = Arrays.copyOf(highest, (publisher + 1) * slotCount());
        }
        long last = highest[stream];
        if (number == last + 1) {
            highest[stream] = number;
            distinct(slot);
        } else if (number > last) {
            skipped(stream, last, number, counts);
            highest[stream] = number;
            distinct(slot);
        } else {
            late(slot, stream, number, counts);
        }
    }

    private void skipped(int stream, long last, long number, Counts counts) {
        counts.add(last == 0 ? Count.BEFORE_FIRST : Count.LOST, number - last - 1);
        if (missing == null) {
            missing = new HashMap<>(4);
        }
        missing.computeIfAbsent(stream, s -> new Missing(last == 0 ? number : 1, new MissingNumbers()))
                .numbers()
                .add(last + 1, number);
    }

    private void late(int slot, int stream, long number, Counts counts) {
        Missing gaps = missing == null ? null : missing.get(stream);
        if (gaps == null || !gaps.numbers().remove(number)) {
            counts.add(Count.DUPLICATED);
            return;
        }
        counts.add(Count.REORDERED);
        counts.add(number < gaps.firstSeen() ? Count.BEFORE_FIRST : Count.LOST, -1);
        distinct(slot);
    }

    private void distinct(int slot) {
        slots[slot * PER_SLOT + DISTINCT]++;
    }

    /** How many different stamped messages of the slot's subject came. */
    public long distinctMessages(int slot) {
        return slots[slot * PER_SLOT + DISTINCT];
    }

    private int slotCount() {
        return slots.length / PER_SLOT;
    }
}
