package io.belfry.server.cluster;

/**
 * What a seq of a cluster is made of: the leader epoch under which the record was written, and its offset and one more,
 * since 0 is before all messages.
 *
 * <pre>
 *  52          40 39                                   0
 * +--------------+--------------------------------------+
 * | leader epoch | offset + 1                           |
 * +--------------+--------------------------------------+
 * </pre>
 *
 * <p>Along one log both grow, so seqs do. A log that lost its end gives the offsets lost to other records, under a later
 * leader epoch: their seqs are higher than all that anybody was told before, and not those of what was lost. Pure.
 */
final class Seqs {
    private static final int OFFSET_BITS = 40;
    private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

    /** The highest leader epoch that has a place in a number that JSON keeps exactly. */
    static final int LEADER_EPOCH_MAX = (1 << 13) - 1;

    static final long OFFSET_MAX = OFFSET_MASK - 1;

    private Seqs() {}

    static long of(int leaderEpoch, long offset) {
        requireRoom(leaderEpoch, offset);
        return (long) leaderEpoch << OFFSET_BITS | (offset + 1);
    }

    /** Throws where no seq can name the record. */
    static void requireRoom(int leaderEpoch, long offset) {
        if (leaderEpoch > LEADER_EPOCH_MAX || offset > OFFSET_MAX) {
            throw new IllegalStateException("the topic's positions are used up, at offset " + offset
                    + " and leader epoch " + leaderEpoch + ": set Kafka.Topic to another");
        }
    }

    static int leaderEpoch(long seq) {
        return (int) (seq >>> OFFSET_BITS);
    }

    /** The offset behind the record. */
    static long end(long seq) {
        return seq & OFFSET_MASK;
    }
}
