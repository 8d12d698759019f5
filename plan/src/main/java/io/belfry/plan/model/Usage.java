package io.belfry.plan.model;

import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The use of one resource of a machine, term by term, and its limit. Immutable.
 *
 * @param terms by name, in the order of the report; amounts are in the unit of the resource
 */
public record Usage(Resource resource, Map<String, Formula> terms, Formula limit) {
    /** Returns the use of a resource that has no terms yet. */
    static Usage of(Resource resource, Formula limit) {
        return new Usage(resource, Map.of(), limit);
    }

    /** Returns this use with one more term. */
    Usage with(String name, Formula term) {
        Map<String, Formula> more = new LinkedHashMap<>(terms);
        more.put(name, term);
        return new Usage(resource, more, limit);
    }

    /** Returns this use with one more term if it applies. */
    Usage withIf(boolean applies, String name, Formula term) {
        return applies ? with(name, term) : this;
    }

    /** Returns the sum of the terms. */
    public double needed() {
        return terms.values().stream().mapToDouble(Formula::amount).sum();
    }

    /** Returns the needed share of the limit; more than 1 does not fit. */
    public double share() {
        double needed = needed();
        return needed == 0 ? 0 : limit.amount() <= 0 ? Double.POSITIVE_INFINITY : needed / limit.amount();
    }

    /** Returns whether the limit is enough. */
    public boolean fits() {
        return share() <= 1;
    }

    static boolean fit(List<Usage> usages) {
        return usages.stream().allMatch(Usage::fits);
    }

    /** Returns the largest term with its name. */
    public Map.Entry<String, Formula> largest() {
        return Collections.max(
                terms.entrySet(),
                Comparator.comparingDouble(term -> term.getValue().amount()));
    }

    /** Returns the use of this resource. */
    static Usage of(Resource resource, List<Usage> usages) {
        return usages.stream()
                .filter(each -> each.resource() == resource)
                .findFirst()
                .orElseThrow();
    }
}
