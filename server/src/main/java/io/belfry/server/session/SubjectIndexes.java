package io.belfry.server.session;

import java.util.Arrays;
import java.util.function.IntConsumer;

/** Maps subjects to indexes by open addressing in one int array. Owner: the lane of the session whose subjects they are. */
final class SubjectIndexes {
    private static final int INITIAL = 16;

    private int[] slots = filled(INITIAL);
    private int used;

    int used() {
        return used;
    }

    /** Returns the index of a subject, or -1. */
    int index(int subject) {
        int at = find(subject);
        return at < 0 ? -1 : slots[at * 2 + 1];
    }

    private static int[] filled(int entries) {
        int[] slots = new int[entries * 2];
        Arrays.fill(slots, Subscriptions.NONE);
        return slots;
    }

    private int find(int subject) {
        int mask = slots.length / 2 - 1;
        int at = hash(subject) & mask;
        while (slots[at * 2] != Subscriptions.NONE) {
            if (slots[at * 2] == subject) {
                return at;
            }
            at = at + 1 & mask;
        }
        return -1;
    }

    void put(int subject, int index) {
        int at = find(subject);
        if (at >= 0) {
            slots[at * 2 + 1] = index;
            return;
        }
        if ((used + 1) * 8 > slots.length * 3) {
            resize(slots.length);
        }
        place(slots, subject, index);
        used++;
    }

    int remove(int subject) {
        int hole = find(subject);
        int index = slots[hole * 2 + 1];
        int mask = slots.length / 2 - 1;
        for (int at = hole + 1 & mask; slots[at * 2] != Subscriptions.NONE; at = at + 1 & mask) {
            if ((at - hash(slots[at * 2]) & mask) >= (at - hole & mask)) {
                slots[hole * 2] = slots[at * 2];
                slots[hole * 2 + 1] = slots[at * 2 + 1];
                hole = at;
            }
        }
        slots[hole * 2] = Subscriptions.NONE;
        used--;
        if (slots.length > 2 * INITIAL && used * 16 < slots.length) {
            resize(slots.length / 4);
        }
        return index;
    }

    void forEach(IntConsumer action) {
        int[] snapshot = slots.clone();
        for (int i = 0; i < snapshot.length; i += 2) {
            if (snapshot[i] != Subscriptions.NONE) {
                action.accept(snapshot[i]);
            }
        }
    }

    int capacity() {
        return slots.length / 2;
    }

    private void resize(int entries) {
        int[] after = filled(entries);
        for (int i = 0; i < slots.length; i += 2) {
            if (slots[i] != Subscriptions.NONE) {
                place(after, slots[i], slots[i + 1]);
            }
        }
        slots = after;
    }

    private static void place(int[] into, int subject, int index) {
        int mask = into.length / 2 - 1;
        int at = hash(subject) & mask;
        while (into[at * 2] != Subscriptions.NONE) {
            at = at + 1 & mask;
        }
        into[at * 2] = subject;
        into[at * 2 + 1] = index;
    }

    private static int hash(int subject) {
        int h = subject * 0x9E3779B9;
        return h ^ h >>> 16;
    }
}
