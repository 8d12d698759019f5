package io.belfry.benchkit.measure;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
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

    /** In {@link #highest}: the publisher has said that nothing more comes. */
    private static final long ENDED = 1L << 62;

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

    /** How many messages a gap up to {@code seq} covers that have not come; none where that is not known. */
    public long untilGapEnds(int slot, long epoch, long seq) {
        int at = slot * PER_SLOT;
        return slots[at + EPOCH] == epoch ? Math.max(0, seq - slots[at + SEQ]) : 0;
    }

    /** The seq of the slot's subject up to which everything came or was announced. */
    public long seq(int slot) {
        return slots[slot * PER_SLOT + SEQ];
    }

    /** What one message turned out to be among those of its publisher and subject. */
    public enum Arrival {
        NEXT,
        AFTER_A_GAP,
        REORDERED,
        DUPLICATED
    }

    /** {@code publisher} is a {@link PublisherIndex} number, {@code number} the stamp's sequence. */
    public Arrival arrived(int slot, int publisher, long number, Counts counts) {
        int stream = stream(slot, publisher);
        long last = highest[stream] & ~ENDED;
        if (number == last + 1) {
            highest[stream]++;
            distinct(slot);
            return Arrival.NEXT;
        }
        if (number > last) {
            counts.add(last == 0 ? Count.BEFORE_FIRST : Count.LOST, number - last - 1);
            skipped(stream, last == 0 ? number : 1, last + 1, number);
            highest[stream] += number - last;
            distinct(slot);
            return Arrival.AFTER_A_GAP;
        }
        return late(slot, stream, number, counts);
    }

    private int stream(int slot, int publisher) {
        int stream = publisher * slotCount() + slot;
        if (stream >= highest.length) {
            highest = Arrays.copyOf(highest, (publisher + 1) * slotCount());
        }
        return stream;
    }

    private Missing skipped(int stream, long firstSeen, long from, long before) {
        if (missing == null) {
            missing = new HashMap<>(4);
        }
        Missing gaps = missing.computeIfAbsent(stream, s -> new Missing(firstSeen, new MissingNumbers()));
        gaps.numbers().add(from, before);
        return gaps;
    }

    private Arrival late(int slot, int stream, long number, Counts counts) {
        Missing gaps = missing == null ? null : missing.get(stream);
        if (gaps == null || !gaps.numbers().remove(number)) {
            counts.add(Count.DUPLICATED);
            return Arrival.DUPLICATED;
        }
        counts.add(Count.REORDERED);
        counts.add(number < gaps.firstSeen() ? Count.BEFORE_FIRST : Count.LOST, -1);
        distinct(slot);
        return Arrival.REORDERED;
    }

    private void distinct(int slot) {
        slots[slot * PER_SLOT + DISTINCT]++;
    }

    /**
     * The publisher says that {@code last} was its last number here.
     *
     * @param fromTheStart this client was subscribed before the publisher began, so that what is missing below the first
     *     number it saw is lost too
     */
    public Arrival ended(int slot, int publisher, long last, boolean fromTheStart, Counts counts) {
        int stream = stream(slot, publisher);
        if ((highest[stream] & ENDED) != 0) {
            counts.add(Count.DUPLICATED);
            return Arrival.DUPLICATED;
        }
        long came = highest[stream];
        if (fromTheStart) {
            countBeforeFirstAsLost(stream, counts);
        }
        highest[stream] = Math.max(came, last) | ENDED;
        if (last <= came) {
            return Arrival.NEXT;
        }
        boolean before = came == 0 && !fromTheStart;
        counts.add(before ? Count.BEFORE_FIRST : Count.LOST, last - came);
        skipped(stream, before ? last + 1 : 1, came + 1, last + 1);
        return Arrival.AFTER_A_GAP;
    }

    private void countBeforeFirstAsLost(int stream, Counts counts) {
        Missing gaps = missing == null ? null : missing.get(stream);
        if (gaps != null && missing != null) {
            long lost = gaps.numbers().countBelow(gaps.firstSeen());
            counts.add(Count.BEFORE_FIRST, -lost);
            counts.add(Count.LOST, lost);
            missing.put(stream, new Missing(1, gaps.numbers()));
        }
    }

    /** How many streams something came of have no end mark, of the publishers that {@code hasEnded} names. */
    public int withoutEnd(IntPredicate hasEnded) {
        int without = 0;
        for (int stream = 0; stream < highest.length; stream++) {
            boolean open = highest[stream] != 0 && (highest[stream] & ENDED) == 0;
            without += open && hasEnded.test(stream / slotCount()) ? 1 : 0;
        }
        return without;
    }

    /** Takes the numbers {@code from} to {@code to} that one stream misses. */
    public interface LostRange {
        void accept(int slot, int publisher, long from, long to);
    }

    /** Everything that is lost, one range after the other. */
    public void forEachLost(LostRange range) {
        if (missing == null) {
            return;
        }
        missing.forEach((stream, gaps) -> gaps.numbers().forEach((from, before) -> {
            long first = Math.max(from, gaps.firstSeen());
            if (first < before) {
                range.accept(stream % slotCount(), stream / slotCount(), first, before - 1);
            }
        }));
    }

    /** How many different stamped messages of the slot's subject came. */
    public long distinctMessages(int slot) {
        return slots[slot * PER_SLOT + DISTINCT];
    }

    private int slotCount() {
        return slots.length / PER_SLOT;
    }
}
