package io.belfry.bench.scenario;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * One process of a load generator. Immutable.
 *
 * @param name in the report and for its files
 * @param program {@code benchsub} or {@code benchpub}
 * @param settings its keys; addresses and files are added when it is started
 * @param apart its clients are not those whose latency is asked about, and must not keep them waiting either
 */
public record GeneratorPlan(String name, String program, int clients, Map<String, String> settings, boolean apart) {
    GeneratorPlan(String name, String program, int clients, Map<String, String> settings) {
        this(name, program, clients, settings, false);
    }

    /** A text such as {@code benchsub Clients=1000 ...}, for logs. */
    @Override
    public String toString() {
        return program + " "
                + settings.entrySet().stream()
                        .map(setting -> setting.getKey() + "=" + setting.getValue())
                        .collect(Collectors.joining(" "));
    }
}
