package io.belfry.server.cluster;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The leader epoch of each record of a partition that this node has read, stored as the offsets at which the epochs
 * began: a few numbers per change of a leader. Any thread; the reader is the only writer.
 */
final class LeaderEpochs {
    static final int UNKNOWN = -1;

    /** Both arrays are ascending. Immutable. */
    private static final class Begins {
        private static final Begins NONE = new Begins(new long[0], new int[0]);

        private final long[] offsets;
        private final int[] epochs;

        private Begins(long[] offsets, int[] epochs) {
            this.offsets = offsets;
            this.epochs = epochs;
        }

        int latest() {
            return epochs.length == 0 ? UNKNOWN : epochs[epochs.length - 1];
        }

        Begins and(long offset, int epoch) {
            int length = offsets.length;
            long[] moreOffsets = Arrays.copyOf(offsets, length + 1);
            int[] moreEpochs = Arrays.copyOf(epochs, length + 1);
            moreOffsets[length] = offset;
            moreEpochs[length] = epoch;
            return new Begins(moreOffsets, moreEpochs);
        }

        int at(long offset) {
            int found = Arrays.binarySearch(offsets, offset);
            int index = found >= 0 ? found : -found - 2;
            return index < 0 ? UNKNOWN : epochs[index];
        }
    }

    private final AtomicReferenceArray<Begins> partitions;

    LeaderEpochs(int partitions) {
        this.partitions = new AtomicReferenceArray<>(partitions);
        for (int partition = 0; partition < partitions; partition++) {
            this.partitions.set(partition, Begins.NONE);
        }
    }

    /** Takes the next record of the partition, in the order of the log. */
    void onRecord(int partition, long offset, int epoch) {
        Begins begins = partitions.get(partition);
        if (begins.latest() != epoch) {
            partitions.setRelease(partition, begins.and(offset, epoch));
        }
    }

    /** Returns the leader epoch of the record at this offset, or {@link #UNKNOWN} if it lies before the first record read. */
    int at(int partition, long offset) {
        return partitions.getAcquire(partition).at(offset);
    }
}
