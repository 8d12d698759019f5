package io.belfry.bench.scenario;

import java.util.Map;

/**
 * One process of a load generator. Immutable.
 *
 * @param name the name in the report and of its files
 * @param program {@code benchsub} or {@code benchpub}
 * @param settings its keys; addresses and files are added at the start
 * @param apart whether its latencies do not count and it must not delay the other generators
 */
public record GeneratorPlan(String name, String program, int clients, Map<String, String> settings, boolean apart) {
    /** Whether the process publishes. */
    public boolean publishes() {
        return program.equals("benchpub");
    }
}
