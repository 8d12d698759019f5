package io.belfry.plan.model;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The result of planning. Immutable.
 *
 * @param part load of one cell
 * @param nodes of each cell, including those that may fail
 * @param sessionsAtWorst sessions of the fullest node after the failures
 * @param usages of the fullest node after the failures
 * @param alone number of nodes that each resource by itself needs
 * @param bound the resource that needs most nodes
 */
public record Plan(
        long cells,
        PlanInputs part,
        long nodes,
        double sessionsAtWorst,
        List<Usage> usages,
        Map<Resource, Long> alone,
        Resource bound,
        Optional<BrokerPlan> brokers) {
    /** The term of the memory that is the value for {@code Memory}. */
    public static final String HEAP = "heap";

    /** The term of the memory that is the value for {@code CacheMemory}. */
    public static final String HISTORY = "history";

    /**
     * The brokers of a cell.
     *
     * @param log bytes on all disks of the cell together
     */
    public record BrokerPlan(long brokers, List<Usage> usages, Formula log) {}

    /** Returns the nodes of all cells. */
    public long nodesInAll() {
        return cells * nodes;
    }

    /** Returns the brokers of all cells. */
    public long brokersInAll() {
        return cells * brokers.map(BrokerPlan::brokers).orElse(0L);
    }

    /** Returns the mean sessions of a node without failures. */
    public double sessionsNormally() {
        return part.of(PlanOption.CLIENTS) / nodes;
    }

    /** Returns one term of the memory. */
    public double memoryBytes(String term) {
        return Objects.requireNonNull(usage(Resource.MEMORY).terms().get(term)).amount();
    }

    /** Returns the new sessions per second that a node can accept. */
    public double acceptsPerSecond() {
        return usage(Resource.RECONNECTS).limit().amount();
    }

    /** Returns the use of one resource. */
    public Usage usage(Resource resource) {
        return Usage.of(resource, usages);
    }
}
