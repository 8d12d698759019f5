package io.belfry.plan.model;

import io.belfry.plan.coefficient.Coefficients;
import io.belfry.plan.coefficient.Factor;
import io.belfry.plan.coefficient.Unit;
import io.belfry.plan.input.Workload;

/** The values that formulas begin with, by their names. Immutable. */
final class Ingredients {
    private static final double MILLION = 1e6;
    private static final double BILLION = 1e9;

    private final Workload load;
    private final Coefficients coefficients;

    Ingredients(Workload load, Coefficients coefficients) {
        this.load = load;
        this.coefficients = coefficients;
    }

    Workload load() {
        return load;
    }

    Value factor(Factor factor) {
        return Value.of(coefficients.of(factor));
    }

    /** CPU of so many a second, as cores. */
    Value cores(Value perSecond, Factor each) {
        Value micros = factor(each);
        double amount = perSecond.amount() * micros.amount() / (each.unit() == Unit.NANOS ? BILLION : MILLION);
        Value product = perSecond.times(micros);
        return new Value(amount, product.names(), product.numbers(), product.rank());
    }

    Value rate() {
        return Value.of("rate", load.perSecond(), Unit.PER_SECOND);
    }

    Value size() {
        return Value.of("size", load.bytes(), Unit.BYTES);
    }

    Value subject() {
        return Value.of("subject", load.subjectBytes(), Unit.BYTES);
    }

    Value encrypted() {
        return Value.of("tls", load.encrypted(), Unit.SHARE);
    }

    Value streams() {
        return Value.of("http", load.streams(), Unit.SHARE);
    }

    Value slow() {
        return Value.of("slow", load.slow(), Unit.SHARE);
    }

    Value ping() {
        return Value.of("ping", load.pingSeconds(), Unit.SECONDS);
    }

    Value comings() {
        return Value.of("comings", load.comings(), Unit.PER_SECOND);
    }
}
