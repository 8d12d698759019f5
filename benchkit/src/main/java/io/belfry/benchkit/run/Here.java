package io.belfry.benchkit.run;

import io.belfry.benchkit.measure.Machine;
import io.belfry.benchkit.measure.SharedClock;
import java.util.function.LongSupplier;

/**
 * What a process knows of where it runs; made by hand in tests. Immutable.
 *
 * @param clock nanoseconds since 1970
 * @param machine see {@link Machine#number}
 */
public record Here(LongSupplier clock, int machine) {
    public static Here look() {
        return new Here(SharedClock.start(), Machine.number());
    }
}
