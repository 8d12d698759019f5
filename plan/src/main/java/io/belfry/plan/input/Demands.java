package io.belfry.plan.input;

/**
 * What the whole is to withstand, and how it hangs together. Immutable.
 *
 * @param failures nodes that may be gone at once, of each cell
 * @param windowSeconds the time over which the clients of a failed node come back
 * @param cells parts that share nothing, each with its own nodes and brokers; 0 is as few as will do
 * @param join how nodes get each other's messages
 */
public record Demands(int failures, double windowSeconds, long cells, Join join, Brokers brokers) {
    /** Whether nodes get what is published elsewhere. */
    public enum Join {
        /** By Kafka where there is more than one node. */
        AUTO,
        /** By Kafka: every node reads every message. */
        CLUSTER,
        /** Not at all: publishers bring a message to each node that has subscribers of its subject. */
        NONE
    }

    /**
     * A cell's Kafka.
     *
     * @param failures brokers that may be gone at once
     * @param diskBytesPerSecond what one broker's disk can be written
     * @param seconds how long the log is kept
     */
    public record Brokers(
            int replication,
            int failures,
            double cores,
            double bitsPerSecond,
            double diskBytesPerSecond,
            double seconds) {
        public Brokers {
            if (replication < 1 || failures >= replication) {
                throw new Nonsense(
                        Trouble.CONTRADICTION,
                        "with a replication of " + replication + " messages survive " + Math.max(0, replication - 1)
                                + " failed brokers, not " + failures);
            }
        }
    }

    public Demands {
        if (failures < 0) {
            throw Nonsense.badValue("--survive", "is 0 or more", Integer.toString(failures));
        }
        if (windowSeconds <= 0) {
            throw Nonsense.badValue("--reconnect-window", "is more than 0", windowSeconds + "s");
        }
    }
}
