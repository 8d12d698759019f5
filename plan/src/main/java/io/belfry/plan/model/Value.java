package io.belfry.plan.model;

import io.belfry.plan.coefficient.Coefficient;
import io.belfry.plan.coefficient.Unit;

/**
 * An amount and how it came about, in names and in numbers: {@code sessions x cpu-delivery} and {@code 9,600 x 8 us}.
 * Immutable.
 */
public record Value(double amount, String names, String numbers, Rank rank) {
    /** What binds how strongly; decides where brackets are needed. */
    enum Rank {
        SUM,
        PRODUCT,
        ATOM
    }

    static Value of(String name, double amount, Unit unit) {
        return new Value(amount, name, unit.show(amount), Rank.ATOM);
    }

    static Value of(String name, long amount, Unit unit) {
        return of(name, (double) amount, unit);
    }

    static Value of(Coefficient coefficient) {
        return new Value(coefficient.value(), coefficient.factor().key(), coefficient.shown(), Rank.ATOM);
    }

    /** A number of the formula itself, such as a conversion. */
    static Value number(double amount) {
        String text = Unit.COUNT.show(amount);
        return new Value(amount, text, text, Rank.ATOM);
    }

    Value times(Value other) {
        return join(other, " x ", amount * other.amount, Rank.PRODUCT, Rank.PRODUCT);
    }

    Value over(Value other) {
        return join(other, " / ", amount / other.amount, Rank.PRODUCT, Rank.ATOM);
    }

    Value plus(Value other) {
        return join(other, " + ", amount + other.amount, Rank.SUM, Rank.SUM);
    }

    Value minus(Value other) {
        return join(other, " - ", amount - other.amount, Rank.SUM, Rank.PRODUCT);
    }

    Value atMost(Value other) {
        return function("least", other, Math.min(amount, other.amount));
    }

    Value atLeast(Value other) {
        return function("most", other, Math.max(amount, other.amount));
    }

    /** For what was reckoned before to stand in a formula by its name. */
    Value called(String name, Unit unit) {
        return of(name, amount, unit);
    }

    private Value function(String name, Value other, double result) {
        return new Value(
                result,
                name + "(" + names + ", " + other.names + ")",
                name + "(" + numbers + ", " + other.numbers + ")",
                Rank.ATOM);
    }

    private Value join(Value other, String sign, double result, Rank mine, Rank needed) {
        return new Value(
                result,
                bracketed(names, rank, mine) + sign + bracketed(other.names, other.rank, needed),
                bracketed(numbers, rank, mine) + sign + bracketed(other.numbers, other.rank, needed),
                mine);
    }

    private static String bracketed(String text, Rank rank, Rank needed) {
        return rank.compareTo(needed) < 0 ? "(" + text + ")" : text;
    }
}
