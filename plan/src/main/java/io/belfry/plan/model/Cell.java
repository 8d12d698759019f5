package io.belfry.plan.model;

import io.belfry.plan.coefficient.Unit;
import io.belfry.plan.input.Demands;
import io.belfry.plan.input.Workload;

/** How the work of one cell falls on its nodes when as many have failed as it is to survive. Immutable. */
final class Cell {
    private final Workload load;
    private final Demands demands;

    Cell(Workload load, Demands demands) {
        this.load = load;
        this.demands = demands;
    }

    Situation with(long nodes) {
        long left = nodes - demands.failures();
        Value clients = Value.of("clients", load.clients(), Unit.COUNT);
        Value alive = Value.of("nodes-left", left, Unit.COUNT);
        boolean linked = isLinked(nodes);
        Value mean = clients.over(alive);
        Value sessions =
                left == 1 ? mean : mean.plus(Value.of("unevenness", unevenness(mean.amount(), left), Unit.COUNT));
        Value here = sessions.called("sessions", Unit.COUNT);
        return new Situation(here, published(here, alive, linked), read(linked), back(clients, alive, nodes), linked);
    }

    boolean isLinked(long nodes) {
        return switch (demands.join()) {
            case AUTO -> nodes > 1;
            case CLUSTER -> true;
            case NONE -> false;
        };
    }

    /** What the fullest of so many has above the mean where each client chooses at random: the largest of normal ones. */
    static double unevenness(double mean, long nodes) {
        return Math.sqrt(2 * Math.log((double) nodes) * mean);
    }

    private Value published(Value here, Value alive, boolean linked) {
        if (linked) {
            return Value.of("published", load.published(), Unit.PER_SECOND).over(alive);
        }
        Value heard = Value.of("fan-out", load.audience(), Unit.COUNT).atMost(here);
        return here.times(Value.of("rate", load.perSecond(), Unit.PER_SECOND)).over(heard);
    }

    private Value read(boolean linked) {
        return linked
                ? Value.of("published", load.published(), Unit.PER_SECOND)
                : Value.of("nothing", 0, Unit.PER_SECOND);
    }

    private Value back(Value clients, Value alive, long nodes) {
        if (demands.failures() == 0) {
            return Value.of("nobody", 0, Unit.PER_SECOND);
        }
        return clients.times(Value.of("failed", demands.failures(), Unit.COUNT))
                .over(Value.of("nodes", nodes, Unit.COUNT))
                .over(alive)
                .over(Value.of("window", demands.windowSeconds(), Unit.SECONDS));
    }
}
