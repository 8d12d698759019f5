package io.belfry.plan.model;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/** Finds the fewest nodes that carry a load. Immutable. */
public record CapacityPlanner(PlanInputs inputs, Coefficients coefficients) {
    private static final long NODES_MAX = 100_000_000;

    /**
     * The capacity of one node.
     *
     * @param accepts new sessions per second when the node is full
     * @param bound the resource that limits it
     */
    public record Capacity(long sessions, double accepts, Resource bound) {}

    /**
     * Returns the plan with the fewest nodes, in the required cells.
     *
     * @throws PlanError if no number of nodes is enough
     */
    public Plan plan() {
        long required = inputs.whole(PlanOption.CELLS);
        long cells = required > 0 ? required : fewestCells().orElse(1);
        PlanInputs part = inputs.part(cells);
        NodeModel model = new NodeModel(part, coefficients);
        long nodes = fewestNodes(model, Usage::fit).orElseThrow(() -> doesNotFit(model));
        List<Usage> usages = model.usages(nodes);
        Map<Resource, Long> alone = new EnumMap<>(Resource.class);
        for (Usage each : usages) {
            Resource resource = each.resource();
            OptionalLong needed =
                    fewestNodes(model, all -> Usage.of(resource, all).fits());
            alone.put(resource, needed.orElse(NODES_MAX));
        }
        double sessions = NodeLoad.fullest(part, nodes).sessions().amount();
        boolean linked = NodeLoad.isLinked(part, nodes);
        Optional<Plan.BrokerPlan> brokers =
                linked ? Optional.of(new BrokerModel(model, part).plan(nodes)) : Optional.empty();
        return new Plan(cells, part, nodes, sessions, usages, alone, bound(usages, alone), brokers);
    }

    /** Returns the least number from which the condition holds; it must then hold for all larger numbers. */
    static OptionalLong least(long from, long most, LongPredicate holds) {
        long high = from;
        while (high < most && !holds.test(high)) {
            high = Math.min(most, high * 2);
        }
        if (high >= most && !holds.test(most)) {
            return OptionalLong.empty();
        }
        long low = from;
        while (low < high) {
            long middle = low + (high - low) / 2;
            if (holds.test(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return OptionalLong.of(low);
    }

    private OptionalLong fewestCells() {
        return least(1, inputs.whole(PlanOption.CLIENTS), cells -> {
            NodeModel model = new NodeModel(inputs.part(cells), coefficients);
            return fewestNodes(model, Usage::fit).isPresent();
        });
    }

    /** Returns the fewest nodes for which the resources are enough. */
    private OptionalLong fewestNodes(NodeModel model, Predicate<List<Usage>> enough) {
        return least(inputs.whole(PlanOption.SURVIVE) + 1, NODES_MAX, nodes -> enough.test(model.usages(nodes)));
    }

    /** Returns the resource that needs most nodes; among equals, the one with the highest use. */
    private static Resource bound(List<Usage> usages, Map<Resource, Long> alone) {
        return usages.stream()
                .max(Comparator.<Usage>comparingLong(each -> alone.getOrDefault(each.resource(), 0L))
                        .thenComparingDouble(Usage::share))
                .orElseThrow()
                .resource();
    }

    private PlanError doesNotFit(NodeModel model) {
        Usage worst = model.usages(NODES_MAX).stream()
                // Without a spare core nobody can reconnect either, but that is not the cause.
                .filter(each -> each.resource() != Resource.RECONNECTS)
                .max(Comparator.comparingDouble(Usage::share))
                .orElseThrow();
        Resource resource = worst.resource();
        OptionalLong cells = fewestCells();
        String remedy = cells.isPresent()
                ? "use larger nodes, or at least " + cells.getAsLong() + " cells (--cells auto)"
                : "use larger nodes; more cells do not help";
        return new PlanError(
                PlanError.Code.DOES_NOT_FIT,
                "no number of nodes is enough: each needs " + resource.unit().show(worst.needed()) + " of "
                        + resource.unit().show(worst.limit().amount()) + " " + resource.title() + ", most of it for "
                        + worst.largest().getKey() + " ("
                        + worst.largest().getValue().explained() + "); " + remedy);
    }

    /** Returns the capacity of one node for this load; {@code linked}: it reads all messages from Kafka. */
    public Capacity capacity(boolean linked) {
        NodeModel model = new NodeModel(inputs, coefficients);
        long clients = inputs.whole(PlanOption.CLIENTS);
        long tooMany = least(1, clients + 1, count -> !Usage.fit(model.usages(NodeLoad.alone(inputs, count, linked))))
                .orElse(clients + 2);
        Usage limit = model.usages(NodeLoad.alone(inputs, tooMany, linked)).stream()
                .max(Comparator.comparingDouble(Usage::share))
                .orElseThrow();
        List<Usage> full = model.usages(NodeLoad.alone(inputs, Math.max(1, tooMany - 1), linked));
        return new Capacity(
                tooMany - 1, Usage.of(Resource.RECONNECTS, full).limit().amount(), limit.resource());
    }
}
