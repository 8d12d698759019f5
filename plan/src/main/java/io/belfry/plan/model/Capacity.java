package io.belfry.plan.model;

import io.belfry.plan.coefficient.Unit;
import io.belfry.plan.input.Workload;

/**
 * What one node takes. Immutable.
 *
 * @param accepts newcomers a second when it is full
 * @param bound what ends it
 */
public record Capacity(long sessions, double accepts, Resource bound) {
    static Situation of(Workload load, long count, boolean linked) {
        Value sessions = Value.of("sessions", count, Unit.COUNT);
        double mine = load.published() * count / load.clients();
        return new Situation(
                sessions,
                Value.of("published", mine, Unit.PER_SECOND),
                Value.of("read", linked ? load.published() : 0, Unit.PER_SECOND),
                Value.of("back", 0, Unit.PER_SECOND),
                linked);
    }
}
