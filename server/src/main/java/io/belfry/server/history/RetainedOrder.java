package io.belfry.server.history;

import java.util.Arrays;

/**
 * The subjects of retained messages in the order in which these were put. Owner: the lane's loop.
 *
 * <p>Each put gets a number that only grows; a subject that is put again moves to the end. So whoever reads on from a number
 * has, when the end is reached, the latest message of every subject, whatever was put meanwhile: the order is what a cursor
 * survives, and nobody needs to know who reads.
 */
final class RetainedOrder {
    private static final int INITIAL = 16;
    private static final int GONE = -1;

    /** Numbers in rising order, and beside each its subject, or {@link #GONE}. */
    private long[] numbers = new long[INITIAL];

    private int[] subjects = new int[INITIAL];
    private int end;
    private int gone;
    private long last;

    /** Puts a subject at the end and answers its number. */
    long add(int subject) {
        if (end == numbers.length) {
            resize(Math.max(INITIAL, (end - gone) * 2));
        }
        numbers[end] = ++last;
        subjects[end++] = subject;
        return last;
    }

    void remove(long number) {
        subjects[Arrays.binarySearch(numbers, 0, end, number)] = GONE;
        gone++;
        if (gone > INITIAL && gone > end / 2) {
            resize(Math.max(INITIAL, (end - gone) * 2));
        }
    }

    /** Where what has a number above this one begins, for {@link #subject}; valid until something is put or removed. */
    int indexAfter(long number) {
        int at = Arrays.binarySearch(numbers, 0, end, number);
        return at >= 0 ? at + 1 : ~at;
    }

    int end() {
        return end;
    }

    long number(int index) {
        return numbers[index];
    }

    /** The subject at an index, or something negative where it was put again or taken out. */
    int subject(int index) {
        return subjects[index];
    }

    int capacity() {
        return numbers.length;
    }

    /** What is gone goes; the rest moves together. Each costs as many steps as there were puts and removals since the last. */
    private void resize(int room) {
        long[] numbersBefore = numbers;
        int[] subjectsBefore = subjects;
        int endBefore = end;
        numbers = new long[room];
        subjects = new int[room];
        end = 0;
        gone = 0;
        for (int i = 0; i < endBefore; i++) {
            if (subjectsBefore[i] != GONE) {
                numbers[end] = numbersBefore[i];
                subjects[end++] = subjectsBefore[i];
            }
        }
    }
}
