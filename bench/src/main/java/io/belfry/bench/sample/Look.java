package io.belfry.bench.sample;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.StreamSupport;

/**
 * All that was seen at one moment, counters as they stood. Immutable.
 *
 * @param generatorsCpuSeconds of each process that was watched, in the order it was given
 * @param stats the server's {@code /stats}
 */
public record Look(
        long atMillis,
        Optional<Kernel.ProcessUse> server,
        List<OptionalDouble> generatorsCpuSeconds,
        OptionalDouble machineBusySeconds,
        OptionalLong kernelBytes,
        Optional<JsonNode> stats) {
    public Look {
        generatorsCpuSeconds = List.copyOf(generatorsCpuSeconds);
    }

    /** A counter since the server's start, or a level. */
    public OptionalLong counter(String name) {
        return stats.map(node -> node.path("counters").path(name))
                .filter(JsonNode::isNumber)
                .map(node -> OptionalLong.of(node.asLong()))
                .orElse(OptionalLong.empty());
    }

    /** When the server took these counters, by its own clock. */
    OptionalLong uptimeMillis() {
        return stats.map(node -> OptionalLong.of(node.path("uptimeMillis").asLong()))
                .orElse(OptionalLong.empty());
    }

    OptionalLong connections() {
        return stats.map(node -> OptionalLong.of(node.path("connectedSessions").asLong()))
                .orElse(OptionalLong.empty());
    }

    OptionalLong heapBytes() {
        return stats.map(node ->
                        OptionalLong.of(node.path("heapBytes").path("used").asLong()))
                .orElse(OptionalLong.empty());
    }

    OptionalLong directBytes() {
        return stats.map(node -> node.path("directBytes"))
                .filter(JsonNode::isNumber)
                .map(node -> OptionalLong.of(node.asLong()))
                .orElse(OptionalLong.empty());
    }

    /** Of the slowest workgroup. */
    OptionalDouble loopLagMillis(String percentile) {
        return stats.stream()
                .flatMap(node -> StreamSupport.stream(node.path("workgroups").spliterator(), false))
                .mapToDouble(
                        group -> group.path("loopLagMicros").path(percentile).asDouble() / 1e3)
                .max();
    }

    OptionalDouble generatorsTogether() {
        double sum = generatorsCpuSeconds.stream()
                .mapToDouble(seconds -> seconds.orElse(0))
                .sum();
        return generatorsCpuSeconds.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(sum);
    }
}
