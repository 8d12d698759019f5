package io.belfry.twin;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The messages that are kept: subject, seq and data of the n-th follow from n, so that whoever reads them knows what they must
 * be. Subjects come in an order that jumps about, each as often as any other. Owner: one thread.
 */
final class Workload {
    static final int DATA_BYTES = 512;
    static final int GROUP = 200;

    private static final long STRIDE = 7919;

    private final int subjects;
    private final int group;
    private final byte[] data = new byte[DATA_BYTES];

    Workload(int subjects) {
        this(subjects, GROUP);
    }

    /** {@code group} messages are synced at a time. */
    Workload(int subjects, int group) {
        if (subjects % STRIDE == 0) {
            throw new IllegalArgumentException(subjects + " subjects: a multiple of " + STRIDE + " leaves some out");
        }
        this.subjects = subjects;
        this.group = group;
        // Nothing that compresses.
        new SplittableRandom(1).nextBytes(data);
    }

    int subjects() {
        return subjects;
    }

    int group() {
        return group;
    }

    int subject(long number) {
        return (int) (number * STRIDE % subjects);
    }

    long seq(long number) {
        return number / subjects + 1;
    }

    /** The same array each time. */
    byte[] data(long number) {
        ByteBuffer.wrap(data).putLong(number);
        return data;
    }

    static long number(byte[] data) {
        return ByteBuffer.wrap(data).getLong();
    }

    /** Appends a group from this number on, syncs it, and answers the number of the next. */
    long appendGroup(Store store, long from) throws java.io.IOException {
        for (long number = from; number < from + group; number++) {
            store.append(subject(number), seq(number), data(number));
        }
        store.sync();
        return from + group;
    }
}
