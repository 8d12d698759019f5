package io.belfry.benchkit.load;

/**
 * The publishes of one connection that wait for their answer: id, intended time and subject. Ids count up from 1, so
 * the place is the id's low bits. Grows up to {@link #ENTRIES_MAX}; then its publisher waits. Owner: one loop.
 */
final class AckWindow {
    static final int ENTRIES_MAX = 1 << 20;

    private long[] intendedNanos;
    private int[] subjects;
    private boolean[] waiting;
    private long oldest = 1;
    private long next = 1;
    private int open;

    AckWindow(int entries) {
        intendedNanos = new long[entries];
        subjects = new int[entries];
        waiting = new boolean[entries];
    }

    boolean full() {
        return next - oldest == ENTRIES_MAX;
    }

    /** The id to publish with. */
    long open(long intended, int subject) {
        if (next - oldest == waiting.length) {
            grow();
        }
        int at = at(next);
        intendedNanos[at] = intended;
        subjects[at] = subject;
        waiting[at] = true;
        open++;
        return next++;
    }

    /** Whether this id waits for an answer. */
    boolean isOpen(long id) {
        return id >= oldest && id < next && waiting[at(id)];
    }

    /** Where answers come in the order of the requests, the next one is to this id. */
    long oldest() {
        return oldest;
    }

    long intendedNanos(long id) {
        return intendedNanos[at(id)];
    }

    int subject(long id) {
        return subjects[at(id)];
    }

    /** The answer has come. */
    void close(long id) {
        waiting[at(id)] = false;
        open--;
        while (oldest < next && !waiting[at(oldest)]) {
            oldest++;
        }
    }

    /** How many wait. */
    int open() {
        return open;
    }

    private int at(long id) {
        return (int) id & (waiting.length - 1);
    }

    private void grow() {
        int before = waiting.length;
        long[] oldIntended = intendedNanos;
        int[] oldSubjects = subjects;
        boolean[] oldWaiting = waiting;
        intendedNanos = new long[before * 2];
        subjects = new int[before * 2];
        waiting = new boolean[before * 2];
        for (long id = oldest; id < next; id++) {
            int from = (int) id & (before - 1);
            intendedNanos[at(id)] = oldIntended[from];
            subjects[at(id)] = oldSubjects[from];
            waiting[at(id)] = oldWaiting[from];
        }
    }
}
