package io.belfry.server.history;

import java.util.Arrays;

/**
 * The subjects of retained messages in the order in which the messages were put. Owner: the lane's loop.
 *
 * <p>Each put gets an increasing number; a subject that is put again moves to the end. A reader that continues from a number
 * therefore has, at the end, the latest message of every subject, whatever was put in between. A cursor is a number in this
 * order, so the order does not need to track its readers.
 */
final class RetainedOrder {
    private static final int INITIAL = 16;
    private static final int GONE = -1;

    /** Numbers in increasing order, with the subject of each beside it, or {@link #GONE}. */
    private long[] numbers = new long[INITIAL];

    private int[] subjects = new int[INITIAL];
    private int end;
    private int gone;
    private long last;

    /** Puts a subject at the end and returns its number. */
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

    /** Returns the index of the first entry above this number, for {@link #subject}; valid until something is put or removed. */
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

    /** Returns the subject at an index, or a negative value if it was put again or removed. */
    int subject(int index) {
        return subjects[index];
    }

    int capacity() {
        return numbers.length;
    }

    /** Drops removed entries and compacts the others. The cost is proportional to the puts and removals since the last call. */
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
