package io.belfry.benchkit.load;

import java.util.Arrays;

/**
 * The publishes of one connection that wait for their answer: id, intended time and subject. Ids count up from 1, and the
 * low bits of an id are its index. Grows up to {@link #ENTRIES_MAX}; a full window stops its publisher. Owner: one loop.
 */
final class AckWindow {
    static final int ENTRIES_MAX = 1 << 20;
    private static final int ANSWERED = -1;

    private long[] intendedNanos;
    /** {@link #ANSWERED}, or the subject of a publish that waits. */
    private int[] subjects;

    private long oldest = 1;
    private long next = 1;
    private int open;

    /** {@code entries} is a power of two. */
    AckWindow(int entries) {
        intendedNanos = new long[entries];
        subjects = new int[entries];
    }

    boolean full() {
        return next - oldest == ENTRIES_MAX;
    }

    /** Adds a publish and returns its id. */
    long open(long intended, int subject) {
        if (next - oldest == subjects.length) {
            grow();
        }
        int at = at(next);
        intendedNanos[at] = intended;
        subjects[at] = subject;
        open++;
        return next++;
    }

    /** Whether this id waits for an answer. */
    boolean isOpen(long id) {
        return id >= oldest && id < next && subjects[at(id)] != ANSWERED;
    }

    /** The oldest open id, which the next answer belongs to if answers arrive in the order of the requests. */
    long oldest() {
        return oldest;
    }

    long intendedNanos(long id) {
        return intendedNanos[at(id)];
    }

    int subject(long id) {
        return subjects[at(id)];
    }

    /** Removes an answered publish; does nothing for an id that is not open. */
    void close(long id) {
        if (isOpen(id)) {
            subjects[at(id)] = ANSWERED;
            open--;
            while (oldest < next && subjects[at(oldest)] == ANSWERED) {
                oldest++;
            }
        }
    }

    /** Number of publishes without an answer. */
    int open() {
        return open;
    }

    private int at(long id) {
        return (int) id & (subjects.length - 1);
    }

    /** Copies the entries into both halves: one more bit of the id decides which half is used. */
    private void grow() {
        int before = subjects.length;
        intendedNanos = Arrays.copyOf(intendedNanos, 2 * before);
        subjects = Arrays.copyOf(subjects, 2 * before);
        System.arraycopy(intendedNanos, 0, intendedNanos, before, before);
        System.arraycopy(subjects, 0, subjects, before, before);
    }
}
