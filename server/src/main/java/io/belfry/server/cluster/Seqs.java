package io.belfry.server.cluster;

/**
 * The layout of a seq in a cluster: the leader epoch of the record, and its offset plus one,
 * because 0 is the position before all messages.
 *
 * <pre>
 *  52          40 39                                   0
 * +--------------+--------------------------------------+
 * | leader epoch | offset + 1                           |
 * +--------------+--------------------------------------+
 * </pre>
 *
 * <p>Both parts grow along one log, so seqs do. When a log was truncated, the lost offsets are used again under a later
 * leader epoch: the new seqs are higher than all that were delivered before, and differ from the lost ones. Pure functions.
 */
final class Seqs {
    private static final int OFFSET_BITS = 40;
    private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

    /** The highest leader epoch that fits into a number that JSON represents exactly. */
    static final int LEADER_EPOCH_MAX = (1 << 13) - 1;

    static final long OFFSET_MAX = OFFSET_MASK - 1;

    private Seqs() {}

    static long of(int leaderEpoch, long offset) {
        requireRoom(leaderEpoch, offset);
        return (long) leaderEpoch << OFFSET_BITS | (offset + 1);
    }

    /** Throws if the record is beyond the range of seqs. */
    static void requireRoom(int leaderEpoch, long offset) {
        if (leaderEpoch > LEADER_EPOCH_MAX || offset > OFFSET_MAX) {
            throw new IllegalStateException("positions of the topic are exhausted: offset " + offset + ", leader epoch "
                    + leaderEpoch + "; set Kafka.Topic to a new topic");
        }
    }

    static int leaderEpoch(long seq) {
        return (int) (seq >>> OFFSET_BITS);
    }

    /** Returns the offset after the record. */
    static long end(long seq) {
        return seq & OFFSET_MASK;
    }
}
