package io.belfry.plan.model;

import java.util.OptionalLong;
import java.util.function.LongPredicate;

/** The least number from which something holds. Pure. */
public final class Search {
    private Search() {}

    /** Within {@code from} to {@code most}; what holds for a number must hold for all that are larger. */
    public static OptionalLong least(long from, long most, LongPredicate holds) {
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
}
