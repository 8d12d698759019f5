package io.belfry.server.broker;

import io.belfry.protocol.Code;
import org.jspecify.annotations.Nullable;

/**
 * The order of the messages of all subjects in one lane's history, for positions of patterns. Owner: the lane's loop.
 *
 * <p>The messages of a node are in one or more <em>logs</em>: one of each lane, or the partitions of Kafka, whose messages
 * are in several lanes. A position of patterns is one place for each log of the node: all messages below it have been
 * delivered. Places only grow.
 */
public interface LogOrder {
    /** Returns the number of logs of the node. */
    int logs();

    /** Returns a number that changes when messages of the same epoch get other places. */
    int generation();

    /**
     * Returns the places after everything that this lane has delivered, one for each log; {@link Long#MAX_VALUE} for a log that
     * has no messages in this lane.
     */
    long[] ends();

    /**
     * Records how far the node has read its logs. The returned task is run after the messages that are already on their way to
     * the loop; then {@link #ends} includes what was recorded.
     */
    default Runnable readSoFar() {
        return () -> {};
    }

    /** Returns whether the node has read everything below these places. */
    default boolean isReached(long[] from) {
        return true;
    }

    /** Returns the reason why messages after these places may be missing in the lane's history, or null if all are there. */
    @Nullable
    Code doubt(long[] from);

    /** Returns an address below which all messages precede these places; only without a doubt. */
    long start(long[] from);

    /**
     * Returns places below which every message after {@code from} precedes this address, one for each log; {@link
     * Long#MAX_VALUE} for a log that has no messages in this lane.
     */
    long[] placesAt(long[] from, long address);

    /** Returns the log of this subject's messages. */
    int log(int subject);

    /** Returns the place of the message at this address in its log. */
    long place(long address);
}
