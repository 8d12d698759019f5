package io.belfry.server.subject;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * The lane that is the home of each subject: it has the subject's order, history and subscribers. The hash of the subject decides, or a
 * directory, which gives a subject to the lane of its first subscriber, so that messages do not pass through a third lane. Any thread.
 *
 * <p>The directory has a slot for each value of some bits of the hash, which the subjects of the slot share. A slot is decided once,
 * when a lane first needs it: all lanes see the same home at all times, and subjects never move.
 */
public final class SubjectHomes {
    private static final int SLOTS_MIN = 1 << 18;
    private static final int SLOTS_MAX = 1 << 24;

    /** Heap for which there is one slot of one byte. */
    private static final int HEAP_PER_SLOT = 16 * 1024;

    /** Slots by which a lane may exceed its share, besides an eighth of it. */
    private static final int SLACK = 64;

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(byte[].class);

    private final int lanes;

    /** The lane of each slot plus one; 0 if not decided. Null without a directory. */
    private final byte @Nullable [] slots;

    /** Number of slots of each lane. */
    private final AtomicIntegerArray taken;

    private SubjectHomes(int lanes, int slots) {
        this.lanes = lanes;
        this.slots = slots == 0 ? null : new byte[slots];
        taken = new AtomicIntegerArray(lanes);
    }

    /** Returns homes that the hashes of the subjects decide. */
    public static SubjectHomes byHash(int lanes) {
        return new SubjectHomes(lanes, 0);
    }

    /** Returns homes that first subscribers decide, with a directory that suits the maximum heap. */
    public static SubjectHomes nearSubscribers(int lanes, long heapMax) {
        long slots = Math.clamp(Long.highestOneBit(heapMax / HEAP_PER_SLOT), SLOTS_MIN, SLOTS_MAX);
        return new SubjectHomes(lanes, lanes == 1 ? 0 : (int) slots);
    }

    /** Returns the number of lanes. */
    public int lanes() {
        return lanes;
    }

    /** Returns the home of a subject. */
    public int of(SubjectKey subject) {
        byte[] all = slots;
        if (all == null) {
            return subject.home(lanes);
        }
        int slot = slot(subject, all);
        int known = (byte) SLOT.getAcquire(all, slot);
        return known != 0 ? known - 1 : decide(all, slot, subject.home(lanes));
    }

    /**
     * Makes a lane the home of a subject with its first subscriber, if the home is not decided. A lane that has more than its share
     * of the homes gets no more in this way: memory for histories and retained messages is divided evenly among the lanes.
     */
    public void near(SubjectKey subject, int lane) {
        byte[] all = slots;
        if (all == null) {
            return;
        }
        int slot = slot(subject, all);
        if ((byte) SLOT.getAcquire(all, slot) == 0 && isWithinShare(lane)) {
            decide(all, slot, lane);
        }
    }

    private boolean isWithinShare(int lane) {
        long sum = 0;
        for (int i = 0; i < lanes; i++) {
            sum += taken.get(i);
        }
        return taken.get(lane) <= (sum + sum / 8) / lanes + SLACK;
    }

    private int decide(byte[] all, int slot, int lane) {
        byte before = (byte) SLOT.compareAndExchange(all, slot, (byte) 0, (byte) (lane + 1));
        if (before != 0) {
            return before - 1;
        }
        taken.incrementAndGet(lane);
        return lane;
    }

    private static int slot(SubjectKey subject, byte[] all) {
        return (int) (subject.hash() >>> 24) & all.length - 1;
    }
}
