package io.belfry.plan.model;

/**
 * An amount with the formula that produced it, in names and in numbers: {@code sessions x cpu-delivery} and {@code 9,600 x
 * 8 us}. Immutable.
 */
public record Formula(double amount, String names, String numbers, Rank rank) {
    /** The precedence of the outermost operation, which decides where parentheses are needed. */
    enum Rank {
        SUM,
        PRODUCT,
        ATOM
    }

    static Formula of(String name, double amount, Unit unit) {
        return new Formula(amount, name, unit.show(amount), Rank.ATOM);
    }

    static Formula of(PlanInputs inputs, PlanOption option) {
        return of(option.word(), inputs, option);
    }

    static Formula of(String name, PlanInputs inputs, PlanOption option) {
        return of(name, inputs.of(option), option.unit());
    }

    static Formula of(Coefficient coefficient) {
        return new Formula(coefficient.value(), coefficient.name(), coefficient.shown(), Rank.ATOM);
    }

    /** Returns a constant of the formula itself, such as a conversion factor. */
    static Formula constant(double amount) {
        return of(Unit.COUNT.show(amount), amount, Unit.COUNT);
    }

    /** Returns {@code name = numbers}, once if both are the same: {@code sessions / ping = 60,000 / 25 s}. */
    public String explained() {
        return names.equals(numbers) ? names : names + " = " + numbers;
    }

    Formula times(Formula other) {
        return join(other, " x ", amount * other.amount, Rank.PRODUCT, Rank.PRODUCT);
    }

    Formula over(Formula other) {
        return join(other, " / ", amount / other.amount, Rank.PRODUCT, Rank.ATOM);
    }

    Formula plus(Formula other) {
        return join(other, " + ", amount + other.amount, Rank.SUM, Rank.SUM);
    }

    Formula minus(Formula other) {
        return join(other, " - ", amount - other.amount, Rank.SUM, Rank.PRODUCT);
    }

    Formula atMost(Formula other) {
        return function("least", other, Math.min(amount, other.amount));
    }

    Formula atLeast(Formula other) {
        return function("most", other, Math.max(amount, other.amount));
    }

    /** Returns this amount under a name of its own, for use in further formulas. */
    Formula called(String name, Unit unit) {
        return of(name, amount, unit);
    }

    /** Returns the same text with another amount, for conversions that the text leaves out. */
    Formula withAmount(double converted) {
        return new Formula(converted, names, numbers, rank);
    }

    private Formula function(String name, Formula other, double result) {
        String inNames = name + "(" + names + ", " + other.names + ")";
        String inNumbers = name + "(" + numbers + ", " + other.numbers + ")";
        return new Formula(result, inNames, inNumbers, Rank.ATOM);
    }

    private Formula join(Formula other, String sign, double result, Rank mine, Rank needed) {
        String inNames = parenthesized(names, rank, mine) + sign + parenthesized(other.names, other.rank, needed);
        String inNumbers = parenthesized(numbers, rank, mine) + sign + parenthesized(other.numbers, other.rank, needed);
        return new Formula(result, inNames, inNumbers, mine);
    }

    private static String parenthesized(String text, Rank rank, Rank needed) {
        return rank.compareTo(needed) < 0 ? "(" + text + ")" : text;
    }
}
