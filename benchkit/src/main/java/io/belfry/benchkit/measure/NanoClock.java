package io.belfry.benchkit.measure;

/** Time in nanoseconds since 1970; set by hand in tests. */
@FunctionalInterface
public interface NanoClock {
    long nanos();
}
