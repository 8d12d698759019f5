package io.belfry.bench.report;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.benchkit.measure.Findings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One measurement; figures that were not measured are null. Immutable.
 *
 * @param connections number of connections at the start of the measurement; null for churn
 */
public record Run(
        String name,
        String sentence,
        @Nullable Integer connections,
        double measuredSeconds,
        @JsonUnwrapped Times times,
        @JsonUnwrapped Traffic traffic,
        @JsonUnwrapped Observed observed,
        List<Generator> generators) {
    /**
     * The times that clients measured.
     *
     * @param latency message latencies, from the intended send time to the arrival
     * @param latencyWithoutSteal latencies of the seconds in which the host of this virtual machine used no processor; null
     *     if it used one in all seconds or in none
     * @param connect times from the connect call to the server's answer that makes the client ready
     * @param phases the phases of churn; otherwise empty
     */
    public record Times(
            @Nullable Latency latency,
            @Nullable Latency latencyWithoutSteal,
            @Nullable Latency connect,
            List<Phase> phases) {}

    /**
     * The messages of a run.
     *
     * @param findings the first findings of each generator and kind
     */
    public record Traffic(@Nullable Rates rates, @Nullable Delivery delivery, List<Finding> findings) {
        /** The traffic of merged files, which have latencies only. */
        public static final Traffic UNKNOWN = new Traffic(null, null, List.of());
    }

    /** The server and the machines during a run. */
    public record Observed(
            @Nullable Server server, @Nullable Memory memory, List<Sample> samples) {
        /** The observations of merged files, which have latencies only. */
        public static final Observed UNKNOWN = new Observed(null, null, List.of());
    }

    /** The known values of a figure in the samples within the measurement. */
    public Stream<Double> measured(String figure) {
        return observed.samples().stream()
                .filter(sample -> sample.second() > 0 && sample.second() <= measuredSeconds)
                .map(sample -> sample.figure(figure))
                .filter(Objects::nonNull);
    }

    /** Messages and connections per second, within the measurement. */
    public record Rates(
            @Nullable Double askedPerSecond,
            @Nullable Double publishedPerSecond,
            @Nullable Double deliveredPerSecond,
            @Nullable Double connectsPerSecond) {}

    /** Ramp up, sustain or ramp down: the times to connect within the phase. */
    public record Phase(String name, double seconds, double connectsPerSecond, Latency connect) {}

    /**
     * Messages of one stream that a client did not receive once and in order.
     *
     * @param kind {@code lost}, {@code duplicated} or {@code reordered}
     */
    public record Finding(
            String generator, String kind, @JsonUnwrapped Findings.Finding messages) {}

    /**
     * The counts of all messages, including the warm-up. Among them:
     *
     * <ul>
     *   <li>{@code expected}: number of messages according to the end marks; null unless all end marks arrived
     *   <li>{@code sentByServer}: messages that the server counts as written to sockets
     *   <li>{@code endMarks}: end marks, which the server counts as messages too
     *   <li>{@code disconnections}: disconnected clients, without stalled readers
     *   <li>{@code stalled}: number of stalled readers; {@code stalledReceived}, {@code stalledDropped} and others are of
     *       those that stayed connected: messages received, announced by a gap as dropped or conflated, missing without a
     *       gap, repeated, and not sent at the end
     * </ul>
     *
     * @param counts by name; unknown ones are null
     */
    public record Delivery(@JsonValue Map<String, @Nullable Long> counts) {
        /** The counts of subscribers that the report has under the same name. */
        private static final String SAME_NAMES = "endMarks lost duplicated reordered misdelivered positionsMissing"
                + " gapsAnnounced disconnections connectsFailed stalled stalledDisconnected stalledDropped"
                + " stalledConflated stalledSkipped stalledRepeated stalledBehind";

        /** Makes the figures from the counts of the load generators by their names. */
        public static Delivery of(
                ToLongFunction<String> subscribers,
                @Nullable ToLongFunction<String> publishers,
                @Nullable Long sentByServer) {
            ToLongFunction<String> published = publishers == null ? name -> 0 : publishers;
            boolean complete =
                    subscribers.applyAsLong("endMarks") > 0 && subscribers.applyAsLong("endMarksMissing") == 0;
            long acknowledged = published.applyAsLong("acknowledged");
            long all = published.applyAsLong("published") + published.applyAsLong("warmUpPublished");
            Map<String, @Nullable Long> counts = new LinkedHashMap<>();
            counts.put("published", publishers == null ? null : all);
            counts.put("acknowledged", acknowledged == 0 ? null : acknowledged);
            counts.put("expected", complete ? subscribers.applyAsLong("expected") : null);
            counts.put("sentByServer", sentByServer);
            counts.put("received", subscribers.applyAsLong("messages") + subscribers.applyAsLong("warmUpMessages"));
            for (String name : SAME_NAMES.split(" ", -1)) {
                counts.put(name, subscribers.applyAsLong(name));
            }
            counts.put("stalledReceived", subscribers.applyAsLong("stalledMessages"));
            counts.put("errors", subscribers.applyAsLong("errors") + published.applyAsLong("errors"));
            return new Delivery(counts);
        }

        /** The count of this name, which the report has; 0 if it is unknown. */
        public long of(String name) {
            if (!counts.containsKey(name)) {
                throw new IllegalArgumentException("a delivery has no count " + name);
            }
            return Objects.requireNonNullElse(counts.get(name), 0L);
        }

        /** Whether every message arrived once and in order. */
        public boolean isWhole() {
            return of("lost") + of("duplicated") + of("reordered") + of("misdelivered") + of("positionsMissing") == 0;
        }
    }

    /**
     * The server under test, within the measurement.
     *
     * @param note the reason why the CPU is unknown; null if it is known
     * @param figures the monitor's {@code /stats} at the end
     */
    public record Server(
            @Nullable Double cpuSeconds,
            @Nullable Double coresBusy,
            @Nullable Double cpuSecondsPerMillionDeliveries,
            @Nullable Double cpuSecondsPerMillionConnects,
            @Nullable String note,
            List<String> jvm,
            Map<String, String> settings,
            @Nullable JsonNode figures) {}

    /** Memory before and with all connections. Kernel: the buffers of all TCP sockets of the machine. */
    public record Memory(
            int connections,
            @JsonUnwrapped(prefix = "heapBytes") Use heap,
            @JsonUnwrapped(prefix = "processBytes") Use process,
            @JsonUnwrapped(prefix = "kernelBytes") Use kernel) {
        /** The memory at one time. */
        public record Moment(long heapBytes, long processBytes, long kernelBytes) {}

        /** A kind of memory. */
        public record Use(
                @JsonProperty("Before") long before,
                @JsonProperty("With") long with,
                @JsonProperty("PerConnection") double perConnection) {
            private static Use of(long before, long with, int connections) {
                return new Use(before, with, connections == 0 ? 0 : Math.max(0, with - before) / (double) connections);
            }
        }

        /** The difference between two times, per connection. */
        public static Memory between(Moment before, Moment with, int connections) {
            return new Memory(
                    connections,
                    Use.of(before.heapBytes(), with.heapBytes(), connections),
                    Use.of(before.processBytes(), with.processBytes(), connections),
                    Use.of(before.kernelBytes(), with.kernelBytes(), connections));
        }
    }

    /**
     * The state at a second of the measurement; rates are those since the previous sample.
     *
     * @param figures by name; unknown ones are null
     */
    public record Sample(double second, @JsonAnyGetter Map<String, @Nullable Number> figures) {
        /** The figure of this name; null if it is unknown. */
        public @Nullable Double figure(String name) {
            Number figure = figures.get(name);
            return figure == null ? null : figure.doubleValue();
        }
    }

    /** A load generator process. */
    public record Generator(
            String name,
            String program,
            int clients,
            int ready,
            int exitCode,
            @JsonUnwrapped Effort effort,
            List<String> problems,
            Map<String, String> settings) {}

    /**
     * The CPU time and the lateness of a load generator.
     *
     * @param coresBusy CPU use within the measurement
     * @param lag from the intended send time to the write to the socket, publishers only
     * @param loopLag how late its event loops ran their timers
     */
    public record Effort(
            @Nullable Double cpuSeconds,
            @Nullable Double coresBusy,
            @Nullable Lag lag,
            @Nullable Lag loopLag) {}

    /** The lateness of a generator. */
    public record Lag(long count, double maxMillis, Map<String, Double> percentilesMillis) {}
}
