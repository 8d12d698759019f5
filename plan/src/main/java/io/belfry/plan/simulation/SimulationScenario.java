package io.belfry.plan.simulation;

import io.belfry.plan.model.PlanError;

/**
 * The input of a simulation. Immutable.
 *
 * @param weights of the nodes, as in the server lists of clients; a node of weight 2 has twice the capacity
 * @param failing number of nodes that fail
 * @param waves number of waves in which they fail
 * @param seed random seed; equal seeds give equal runs
 */
public record SimulationScenario(
        long sessions,
        NodeWeights weights,
        int failing,
        int waves,
        Ending ending,
        ReconnectPauses pauses,
        Limits limits,
        Times times,
        long seed) {
    /** Time step of the simulation; new sessions per second are counted over one step. */
    public static final double STEP_SECONDS = 0.1;

    /** The way in which a node fails. */
    public enum Ending {
        /** The process dies: connections are reset and new ones refused immediately. */
        KILL,
        /** The machine disappears: clients notice by missing pings, and connection attempts time out. */
        SILENT,
        /** The node sends its sessions away, each with a time to reconnect, and refuses new ones. */
        DRAIN
    }

    /**
     * The limits of a node of weight 1.
     *
     * @param accepts new sessions per second
     */
    public record Limits(long sessions, double accepts) {}

    /**
     * Times of clients, servers and failures.
     *
     * @param untilSeconds end of the simulation if clients are still away
     * @param retryAfterSeconds wait that a refusal requests; 0: a refusal gets no response
     * @param pingSeconds the server's {@code PingInterval}
     * @param waveSeconds time between two waves
     * @param drainSeconds time in which a draining node moves its sessions
     */
    public record Times(
            double untilSeconds,
            double retryAfterSeconds,
            double pingSeconds,
            double waveSeconds,
            double drainSeconds) {
        /** The {@code Retry-After} of the server, in seconds. */
        public static final double RETRY_AFTER = 5;
    }

    public SimulationScenario {
        int nodes = weights.nodes();
        PlanError.requireConsistent(
                failing >= 0 && failing < nodes,
                "--fail must be from 0 to " + (nodes - 1) + " of " + nodes + " nodes, not " + failing);
        PlanError.requireConsistent(
                waves >= 1 && waves <= Math.max(1, failing),
                "--waves must be from 1 to the number of failing nodes, not " + waves);
    }
}
