package io.belfry.bench.sample;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state of all processes at one time, with absolute counters; what could not be read is null. Immutable.
 *
 * @param generatorsCpuSeconds of the watched processes, by process id
 * @param stats the server's {@code /stats}
 */
public record ProcessSnapshot(
        long atMillis,
        Kernel.@Nullable ProcessUse server,
        Map<Long, Double> generatorsCpuSeconds,
        @Nullable Double machineBusySeconds,
        @Nullable Long kernelBytes,
        @Nullable JsonNode stats) {
    /** A counter since the server's start, or a gauge. */
    public @Nullable Long counter(String name) {
        return number("/counters/" + name);
    }

    /** A number in the server's {@code /stats}. */
    @Nullable
    Long number(String pointer) {
        JsonNode node = stats == null ? null : stats.at(pointer);
        return node != null && node.isNumber() ? Long.valueOf(node.asLong()) : null;
    }

    /** The time of the counters, by the server's own clock. */
    long uptimeMillis() {
        return Objects.requireNonNullElse(number("/uptimeMillis"), 0L);
    }

    /** CPU time of the server since its start. */
    public @Nullable Double serverCpuSeconds() {
        return server == null ? null : Double.valueOf(server.cpuSeconds());
    }

    /** CPU time of all watched processes. */
    @Nullable
    Double generatorsTogether() {
        return generatorsCpuSeconds.values().stream().reduce(Double::sum).orElse(null);
    }

    /** Loop lag of the slowest workgroup. */
    @Nullable
    Double loopLagMillis(String percentile) {
        return stats == null
                ? null
                : stats.path("workgroups")
                        .valueStream()
                        .map(group ->
                                group.path("loopLagMicros").path(percentile).asDouble() / 1e3)
                        .max(Double::compare)
                        .orElse(null);
    }
}
