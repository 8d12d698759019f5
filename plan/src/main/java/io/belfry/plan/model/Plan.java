package io.belfry.plan.model;

import io.belfry.plan.input.Workload;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What it takes. Immutable.
 *
 * @param part what one cell serves
 * @param nodes of each cell, those that may fail among them
 * @param usages of the fullest node when they have failed
 * @param alone how many nodes each resource by itself would want
 * @param bound what wants the most
 */
public record Plan(
        long cells,
        Workload part,
        long nodes,
        double sessionsInPeace,
        double sessionsAtWorst,
        double heapBytes,
        double historyBytes,
        double acceptsPerSecond,
        List<Usage> usages,
        Map<Resource, Long> alone,
        Resource bound,
        Optional<BrokerPlan> brokers) {

    /**
     * A cell's brokers.
     *
     * @param log on all disks of a cell together
     */
    public record BrokerPlan(long brokers, List<Usage> usages, Term log) {}

    public long nodesInAll() {
        return cells * nodes;
    }

    public long brokersInAll() {
        return cells * brokers.map(BrokerPlan::brokers).orElse(0L);
    }

    public Usage usage(Resource resource) {
        return usages.stream()
                .filter(each -> each.resource() == resource)
                .findFirst()
                .orElseThrow();
    }
}
