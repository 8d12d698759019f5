package io.belfry.plan.model;

import java.util.List;

/** Computes what one broker of a cell needs, after as many have failed as the cell must survive. Immutable. */
record BrokerModel(NodeModel node, PlanInputs inputs) {
    private static final long BROKERS_MAX = 1_000_000;

    /** Returns the fewest brokers for this many nodes, at least one for each copy. */
    Plan.BrokerPlan plan(long nodes) {
        long copies = inputs.whole(PlanOption.REPLICATION);
        long count = CapacityPlanner.least(copies, BROKERS_MAX, each -> Usage.fit(usages(nodes, each)))
                .orElse(BROKERS_MAX);
        return new Plan.BrokerPlan(
                count, usages(nodes, count), written(published()).times(Formula.of(inputs, PlanOption.LOG_KEPT)));
    }

    private Formula published() {
        return Formula.of("published", inputs.published(), Unit.PER_SECOND);
    }

    /** Returns the bytes per second of all copies of published messages. */
    private Formula written(Formula published) {
        return published.times(Formula.of(inputs, PlanOption.REPLICATION)).times(recordBytes());
    }

    private Formula recordBytes() {
        return node.record().called("record", Unit.BYTES);
    }

    private List<Usage> usages(long nodes, long count) {
        double left = count - inputs.of(PlanOption.SURVIVE_BROKERS);
        Formula share = published().over(Formula.of("brokers-left", left, Unit.COUNT));
        Formula copies = Formula.of(inputs, PlanOption.REPLICATION);
        Formula readers =
                Formula.of("nodes", (double) nodes, Unit.COUNT).plus(copies).minus(Formula.constant(1));
        Formula sent = share.times(readers).times(recordBytes());
        Formula bandwidth = limit("broker-bandwidth", PlanOption.BROKER_NETWORK);
        return List.of(
                Usage.of(Resource.CPU, limit("broker-cores", PlanOption.BROKER_CORES))
                        .with("messages", node.cores(share.times(copies), "broker-cpu-message"))
                        .with("sending to nodes and copies", node.cores(sent, "broker-cpu-byte")),
                Usage.of(Resource.NETWORK_OUT, bandwidth).with("to nodes and copies", sent.times(NodeModel.BITS)),
                Usage.of(Resource.NETWORK_IN, bandwidth)
                        .with("messages", written(share).times(NodeModel.BITS)),
                Usage.of(Resource.DISK, limit("broker-disk", PlanOption.BROKER_DISK))
                        .with("messages", written(share)));
    }

    private Formula limit(String name, PlanOption option) {
        return Formula.of(name, inputs, option).times(Formula.of(inputs, PlanOption.BUSY));
    }
}
