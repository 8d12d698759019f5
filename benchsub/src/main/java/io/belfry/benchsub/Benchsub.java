package io.belfry.benchsub;

import io.belfry.benchkit.run.BenchProgram;

/** Main program of {@code bin/benchsub [-c FILE] [--set KEY=VALUE]...}. */
public final class Benchsub {
    private Benchsub() {}

    public static void main(String... arguments) {
        BenchProgram.benchsub().main(arguments);
    }
}
