package io.belfry.server.session;

import java.util.Arrays;

/**
 * The subjects of a session with two to eight subscriptions, each with the session's index in the subject's list, in one array
 * without gaps. Pure functions on such an array; a search through it is faster than a hash table of that size.
 */
final class FewSubjects {
    /** Maximum number of subjects; a session with more has {@link SubjectIndexes}. */
    static final int MAX = 8;

    private FewSubjects() {}

    static int[] of(int subject, int index, int secondSubject, int secondIndex) {
        return new int[] {subject, index, secondSubject, secondIndex};
    }

    static int count(int[] few) {
        return few.length >> 1;
    }

    /** Returns the place of a subject, or -1. */
    static int find(int[] few, int subject) {
        for (int at = 0; at < few.length; at += 2) {
            if (few[at] == subject) {
                return at;
            }
        }
        return -1;
    }

    static int subject(int[] few, int at) {
        return few[at];
    }

    static int index(int[] few, int at) {
        return few[at + 1];
    }

    static void setIndex(int[] few, int at, int index) {
        few[at + 1] = index;
    }

    static int[] with(int[] few, int subject, int index) {
        int[] longer = Arrays.copyOf(few, few.length + 2);
        longer[few.length] = subject;
        longer[few.length + 1] = index;
        return longer;
    }

    /** Returns the subjects without the one at this place. */
    static int[] without(int[] few, int at) {
        int[] shorter = Arrays.copyOf(few, few.length - 2);
        if (at < shorter.length) {
            shorter[at] = few[few.length - 2];
            shorter[at + 1] = few[few.length - 1];
        }
        return shorter;
    }
}
