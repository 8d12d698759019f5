package io.belfry.benchpub;

import io.belfry.benchkit.run.BenchProgram;

/** Main program of {@code bin/benchpub [-c FILE] [--set KEY=VALUE]...}. */
public final class Benchpub {
    private Benchpub() {}

    public static void main(String... arguments) {
        BenchProgram.benchpub().main(arguments);
    }
}
