package io.belfry.plan.simulation;

import io.belfry.plan.input.Nonsense;
import io.belfry.plan.input.Trouble;

/**
 * What is simulated. Immutable.
 *
 * @param weights of the nodes, as clients have them in their lists; a node of weight 2 is twice the machine
 * @param failing nodes that go in all
 * @param waves in how many waves, {@code waveSeconds} apart
 * @param drainSeconds over which a draining node sends its sessions away
 * @param seed of the dice; the same seed gives the same run
 */
public record Scenario(
        long sessions,
        Weights weights,
        int failing,
        int waves,
        double waveSeconds,
        Ending ending,
        double drainSeconds,
        Pauses pauses,
        Limits limits,
        Times times,
        long seed) {
    /** How a node goes. */
    public enum Ending {
        /** The process dies: its connections are reset, and connecting to it is refused at once. */
        KILL,
        /** The machine is gone without a word: clients notice by silence, and connecting to it takes its time. */
        SILENT,
        /** It sends its sessions away, each with a time to come back at, and refuses new ones. */
        DRAIN
    }

    /**
     * What a node of weight 1 takes.
     *
     * @param accepts newcomers a second
     */
    public record Limits(long sessions, double accepts) {}

    /**
     * Times of clients and servers that are not pauses.
     *
     * @param stepSeconds of the simulation; also the time over which newcomers a second are counted
     * @param untilSeconds it gives up
     * @param retryAfterSeconds what a refusal asks to wait; 0 where it is not answered at all
     * @param pingSeconds the server's {@code PingInterval}
     * @param connectSeconds after which a client gives up an attempt
     * @param drainSpreadSeconds below which a draining node's times are
     */
    public record Times(
            double stepSeconds,
            double untilSeconds,
            double retryAfterSeconds,
            double pingSeconds,
            double connectSeconds,
            double drainSpreadSeconds) {
        /** Those of the server's and the Java client's defaults. */
        public static final Times DEFAULT = new Times(0.1, 600, 5, 25, 10, 1);
    }

    public Scenario {
        if (failing < 0 || failing >= weights.nodes()) {
            throw new Nonsense(
                    Trouble.CONTRADICTION,
                    "of " + weights.nodes() + " nodes 0 to " + (weights.nodes() - 1) + " may fail, not " + failing);
        }
        if (waves < 1 || waves > Math.max(1, failing)) {
            throw new Nonsense(
                    Trouble.CONTRADICTION, "--waves is from 1 to the number of nodes that fail, not " + waves);
        }
    }
}
