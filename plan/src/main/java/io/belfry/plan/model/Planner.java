package io.belfry.plan.model;

import io.belfry.plan.coefficient.Coefficients;
import io.belfry.plan.input.Demands;
import io.belfry.plan.input.Machine;
import io.belfry.plan.input.Nonsense;
import io.belfry.plan.input.Retention;
import io.belfry.plan.input.Trouble;
import io.belfry.plan.input.Workload;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Finds the fewest nodes that do what is asked. Immutable. */
public final class Planner {
    private static final long NODES_MOST = 100_000_000;

    private final Machine machine;
    private final Retention retention;
    private final Demands demands;
    private final Coefficients coefficients;

    public Planner(Machine machine, Retention retention, Demands demands, Coefficients coefficients) {
        this.machine = machine;
        this.retention = retention;
        this.demands = demands;
        this.coefficients = coefficients;
    }

    /**
     * The fewest nodes, in as few cells as asked.
     *
     * @throws Nonsense where no number of nodes will do
     */
    public Plan plan(Workload all) {
        long cells = demands.cells() > 0 ? demands.cells() : fewestCells(all).orElse(1);
        Workload part = all.part(cells);
        OptionalLong nodes = fewest(part);
        if (nodes.isEmpty()) {
            throw doesNotFit(all, part);
        }
        return describe(cells, part, nodes.getAsLong());
    }

    private OptionalLong fewestCells(Workload all) {
        return Search.least(1, all.clients(), cells -> fewest(all.part(cells)).isPresent());
    }

    private OptionalLong fewest(Workload part) {
        NodeModel model = model(part);
        Cell cell = new Cell(part, demands);
        return Search.least(
                least(),
                NODES_MOST,
                nodes -> model.usages(cell.with(nodes)).stream().allMatch(Usage::fits));
    }

    private long least() {
        return demands.failures() + 1L;
    }

    private NodeModel model(Workload part) {
        return new NodeModel(part, machine, retention, coefficients);
    }

    private Plan describe(long cells, Workload part, long nodes) {
        NodeModel model = model(part);
        Cell cell = new Cell(part, demands);
        Situation worst = cell.with(nodes);
        List<Usage> usages = model.usages(worst);
        Map<Resource, Long> alone = alone(model, cell);
        return new Plan(
                cells,
                part,
                nodes,
                (double) part.clients() / nodes,
                worst.sessions().amount(),
                model.memory().heap(worst).amount(),
                model.memory().history(worst).amount(),
                model.cpu().acceptable(worst).amount(),
                usages,
                alone,
                bound(usages, alone),
                cell.isLinked(nodes) ? Optional.of(brokers(part, nodes)) : Optional.empty());
    }

    private Map<Resource, Long> alone(NodeModel model, Cell cell) {
        Map<Resource, Long> alone = new EnumMap<>(Resource.class);
        for (Usage each : model.usages(cell.with(least()))) {
            Resource resource = each.resource();
            alone.put(
                    resource,
                    Search.least(
                                    least(),
                                    NODES_MOST,
                                    nodes -> usage(model, cell, nodes, resource).fits())
                            .orElse(NODES_MOST));
        }
        return alone;
    }

    private static Usage usage(NodeModel model, Cell cell, long nodes, Resource resource) {
        return model.usages(cell.with(nodes)).stream()
                .filter(each -> each.resource() == resource)
                .findFirst()
                .orElseThrow();
    }

    /** The one that wants the most nodes; of several that want as many, the one that is used most. */
    private static Resource bound(List<Usage> usages, Map<Resource, Long> alone) {
        return usages.stream()
                .max(Comparator.<Usage>comparingLong(each -> alone.getOrDefault(each.resource(), 0L))
                        .thenComparingDouble(Usage::share))
                .orElseThrow()
                .resource();
    }

    private Plan.BrokerPlan brokers(Workload part, long nodes) {
        BrokerModel model = new BrokerModel(part, machine, demands.brokers(), coefficients);
        long brokers = model.needed(nodes);
        return new Plan.BrokerPlan(brokers, model.usages(nodes, brokers), model.kept());
    }

    private Nonsense doesNotFit(Workload all, Workload part) {
        Usage worst = model(part).usages(new Cell(part, demands).with(NODES_MOST)).stream()
                // Without a core to spare nobody can come back either; that is not where it is short.
                .filter(each -> each.resource() != Resource.COMING_BACK)
                .max(Comparator.comparingDouble(Usage::share))
                .orElseThrow();
        OptionalLong cells = fewestCells(all);
        return new Nonsense(
                Trouble.DOES_NOT_FIT,
                "no number of nodes will do: each needs "
                        + worst.resource().unit().show(worst.needed()) + " of "
                        + worst.limit().shown() + " for " + worst.resource().title() + ", most of it for "
                        + worst.largest().name() + " (" + worst.largest().explained() + ")"
                        + (cells.isPresent()
                                ? "; larger nodes, or at least " + cells.getAsLong()
                                        + " cells that share nothing (--cells auto)"
                                : "; larger nodes would do, more cells would not"));
    }

    /**
     * How many sessions one node takes of this work, and how many newcomers a second then. {@code read} is what it reads
     * from Kafka whoever is connected.
     */
    public Capacity capacity(Workload load, boolean linked) {
        NodeModel model = model(load);
        long sessions =
                Search.least(1, load.clients() + 1, count -> !fits(model.usages(Capacity.of(load, count, linked))))
                                .orElse(load.clients() + 2)
                        - 1;
        Situation full = Capacity.of(load, Math.max(1, sessions), linked);
        Usage limit = model.usages(Capacity.of(load, sessions + 1, linked)).stream()
                .max(Comparator.comparingDouble(Usage::share))
                .orElseThrow();
        return new Capacity(sessions, model.cpu().acceptable(full).amount(), limit.resource());
    }

    private static boolean fits(List<Usage> usages) {
        return usages.stream().allMatch(Usage::fits);
    }
}
