package io.belfry.plan.model;

import java.util.Comparator;
import java.util.List;

/** What one machine needs of something and how much of it there is to use. Immutable. */
public record Usage(Resource resource, List<Term> terms, Term limit) {
    public double needed() {
        return terms.stream().mapToDouble(Term::amount).sum();
    }

    /** Of the limit; more than 1 is too much. */
    public double share() {
        double needed = needed();
        return needed == 0 ? 0 : limit.amount() <= 0 ? Double.POSITIVE_INFINITY : needed / limit.amount();
    }

    public boolean fits() {
        return share() <= 1;
    }

    /** What most of it is for. */
    public Term largest() {
        return terms.stream().max(Comparator.comparingDouble(Term::amount)).orElseThrow();
    }
}
