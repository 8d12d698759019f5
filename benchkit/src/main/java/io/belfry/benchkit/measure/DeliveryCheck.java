package io.belfry.benchkit.measure;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Checks that one client receives every message of its subjects, once and in order. Owner: the client's loop.
 *
 * <p>There are two checks. The numbers in the stamps are those of the publisher, so they detect a loss anywhere on the
 * way; a missing number counts as lost, and as reordered once it arrives. The positions are those of the server, so after
 * the subscription they detect even that the first messages of a stream are missing. Slots are the client's subjects, 0 to
 * n - 1.
 */
public final class DeliveryCheck {
    private static final int EPOCH = 0;
    private static final int SEQ = 1;
    private static final int DISTINCT = 2;
    private static final int PER_SLOT = 3;
    private static final long NO_EPOCH = -1;

    /** Flag in {@link #highest}: the end mark of the stream has arrived. */
    private static final long ENDED = 1L << 62;

    /** For each slot: epoch, seq, and number of distinct messages. */
    private final long[] slots;

    /** The highest number of each publisher in each slot, at publisher * slots + slot, so that publishers can be appended. */
    private long[] highest;

    /** By stream; allocated with the first gap, because most clients have none. */
    private Map<Integer, MissingNumbers> missing = Map.of();

    /** {@code slotCount} is the number of subjects of the client. */
    public DeliveryCheck(int slotCount) {
        slots = new long[slotCount * PER_SLOT];
        highest = new long[slotCount];
        for (int at = 0; at < slots.length; at += PER_SLOT) {
            slots[at + EPOCH] = NO_EPOCH;
        }
    }

    /** Sets the position of a new subscription; the next message is the one after {@code seq}. */
    public void subscribed(int slot, long epoch, long seq) {
        slots[slot * PER_SLOT + EPOCH] = epoch;
        slots[slot * PER_SLOT + SEQ] = seq;
    }

    /** Checks the position of a message; {@code prev} is the seq of the subject's message before it. */
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

    /** Applies a gap event: positions up to {@code seq} are announced, so they do not count as missing. */
    public void gap(int slot, long epoch, long seq) {
        int at = slot * PER_SLOT;
        if (slots[at + EPOCH] != epoch || slots[at + SEQ] < seq) {
            subscribed(slot, epoch, seq);
        }
    }

    /** Number of messages that a gap up to {@code seq} covers and that have not arrived; 0 for another epoch. */
    public long untilGapEnds(int slot, long epoch, long seq) {
        int at = slot * PER_SLOT;
        return slots[at + EPOCH] == epoch ? Math.max(0, seq - slots[at + SEQ]) : 0;
    }

    /** The seq of the last message or gap of the slot's subject. */
    public long seq(int slot) {
        return slots[slot * PER_SLOT + SEQ];
    }

    /** The place of an arriving message in its stream. */
    public enum Arrival {
        NEXT,
        AFTER_A_GAP,
        REORDERED,
        DUPLICATED
    }

    /** Checks the number of a message; {@code publisher} is a index in {@link Publishers}. */
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

    private void skipped(int stream, long firstSeen, long from, long before) {
        if (missing.isEmpty()) {
            missing = new HashMap<>(4);
        }
        missing.computeIfAbsent(stream, s -> new MissingNumbers(firstSeen)).add(from, before);
    }

    private Arrival late(int slot, int stream, long number, Counts counts) {
        MissingNumbers gaps = missing.get(stream);
        if (gaps == null || !gaps.remove(number)) {
            counts.add(Count.DUPLICATED);
            return Arrival.DUPLICATED;
        }
        counts.add(Count.REORDERED);
        counts.add(number < gaps.firstSeen ? Count.BEFORE_FIRST : Count.LOST, -1);
        distinct(slot);
        return Arrival.REORDERED;
    }

    private void distinct(int slot) {
        slots[slot * PER_SLOT + DISTINCT]++;
    }

    /**
     * Handles an end mark: {@code last} was the last number of the stream.
     *
     * @param fromTheStart whether this client was subscribed before the publisher began; numbers missing below the first
     *     one received are then lost too
     */
    public Arrival ended(int slot, int publisher, long last, boolean fromTheStart, Counts counts) {
        int stream = stream(slot, publisher);
        if ((highest[stream] & ENDED) != 0) {
            counts.add(Count.DUPLICATED);
            return Arrival.DUPLICATED;
        }
        long received = highest[stream];
        if (fromTheStart) {
            countBeforeFirstAsLost(stream, counts);
        }
        highest[stream] = Math.max(received, last) | ENDED;
        if (last <= received) {
            return Arrival.NEXT;
        }
        boolean before = received == 0 && !fromTheStart;
        counts.add(before ? Count.BEFORE_FIRST : Count.LOST, last - received);
        skipped(stream, before ? last + 1 : 1, received + 1, last + 1);
        return Arrival.AFTER_A_GAP;
    }

    private void countBeforeFirstAsLost(int stream, Counts counts) {
        MissingNumbers gaps = missing.get(stream);
        if (gaps != null) {
            long lost = gaps.countBeforeFirst();
            counts.add(Count.BEFORE_FIRST, -lost);
            counts.add(Count.LOST, lost);
            gaps.firstSeen = 1;
        }
    }

    /** Number of streams with messages but no end mark, of the publishers that {@code hasEnded} accepts. */
    public int withoutEnd(IntPredicate hasEnded) {
        int without = 0;
        for (int stream = 0; stream < highest.length; stream++) {
            boolean open = highest[stream] != 0 && (highest[stream] & ENDED) == 0;
            without += open && hasEnded.test(stream / slotCount()) ? 1 : 0;
        }
        return without;
    }

    /** Receives a range of lost numbers of one stream, both ends included. */
    public interface LostRange {
        void accept(int slot, int publisher, long from, long to);
    }

    /** Passes every range of lost numbers. */
    public void forEachLost(LostRange range) {
        missing.forEach((stream, gaps) -> gaps.ranges.forEach((from, before) -> {
            long first = Math.max(from, gaps.firstSeen);
            if (first < before) {
                range.accept(stream % slotCount(), stream / slotCount(), first, before - 1);
            }
        }));
    }

    /** Number of distinct stamped messages of the slot's subject. */
    public long distinctMessages(int slot) {
        return slots[slot * PER_SLOT + DISTINCT];
    }

    private int slotCount() {
        return slots.length / PER_SLOT;
    }

    /**
     * The numbers of one stream that have not arrived, as ranges in ascending order. Beyond {@link #RANGES_MAX} ranges the
     * lowest is dropped: its numbers stay counted as lost, and a message of it that arrives late counts as duplicated. Owner:
     * one loop.
     */
    private static final class MissingNumbers {
        private static final int RANGES_MAX = 4096;

        /** From the first missing number to the first number after it that has arrived. */
        private final NavigableMap<Long, Long> ranges = new TreeMap<>();

        /** Missing numbers below this one are not lost but before the subscription. */
        long firstSeen;

        MissingNumbers(long firstSeen) {
            this.firstSeen = firstSeen;
        }

        /** Adds the numbers {@code from} to {@code before - 1}, all above those added earlier. */
        void add(long from, long before) {
            if (ranges.size() == RANGES_MAX) {
                ranges.pollFirstEntry();
            }
            ranges.put(from, before);
        }

        /** Removes {@code number}; returns whether it was missing. */
        boolean remove(long number) {
            Map.Entry<Long, Long> range = ranges.floorEntry(number);
            if (range == null || number >= range.getValue()) {
                return false;
            }
            ranges.remove(range.getKey());
            if (range.getKey() < number) {
                ranges.put(range.getKey(), number);
            }
            if (number + 1 < range.getValue()) {
                ranges.put(number + 1, range.getValue());
            }
            return true;
        }

        long countBeforeFirst() {
            return ranges.headMap(firstSeen).entrySet().stream()
                    .mapToLong(range -> Math.min(range.getValue(), firstSeen) - range.getKey())
                    .sum();
        }
    }
}
