package io.belfry.plan.model;

import io.belfry.plan.coefficient.Unit;

/** One part of what is needed of something. Immutable. */
public record Term(String name, Value value, Unit unit) {
    public double amount() {
        return value.amount();
    }

    public String shown() {
        return unit.show(amount());
    }

    /** {@code sessions x cpu-ping / ping = 60,000 x 14 us / 25 s}. */
    public String explained() {
        return value.names().equals(value.numbers()) ? value.names() : value.names() + " = " + value.numbers();
    }
}
