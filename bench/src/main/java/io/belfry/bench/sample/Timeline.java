package io.belfry.bench.sample;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.bench.report.Run;
import io.belfry.benchkit.process.Kernel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Snapshots in their order, and the figures derived from them. Immutable. */
public record Timeline(List<ProcessSnapshot> snapshots) {
    private static final double MILLIS_PER_SECOND = 1000;

    /** Growth of a figure within a span, interpolated between two snapshots; null if the snapshots do not cover the span. */
    public @Nullable Double growth(Function<ProcessSnapshot, @Nullable Double> figure, MeasuredTime time) {
        Double from = at(figure, time.fromMillis());
        Double to = at(figure, time.untilMillis());
        return from == null || to == null ? null : Double.valueOf(to - from);
    }

    private @Nullable Double at(Function<ProcessSnapshot, @Nullable Double> figure, long millis) {
        ProcessSnapshot before = null;
        Double earlier = null;
        for (ProcessSnapshot snapshot : snapshots) {
            Double value = figure.apply(snapshot);
            if (value != null && snapshot.atMillis() >= millis) {
                if (before == null || earlier == null) {
                    return null;
                }
                double between = Math.max(1, snapshot.atMillis() - before.atMillis());
                return earlier + (value - earlier) * ((millis - before.atMillis()) / between);
            }
            before = value == null ? before : snapshot;
            earlier = value == null ? earlier : value;
        }
        // A span may end some milliseconds after the last snapshot, because the snapshots end with the run.
        return before != null && millis - before.atMillis() < MILLIS_PER_SECOND * 2 ? earlier : null;
    }

    /**
     * Growth per second of a counter of the server within a span. The server's figures are up to a second old when they are
     * read, so the time between two snapshots is that of the server's clock.
     */
    public @Nullable Double serverRate(String counter, MeasuredTime time) {
        List<ProcessSnapshot> inside = snapshots.stream()
                .filter(snapshot ->
                        snapshot.atMillis() >= time.fromMillis() && snapshot.atMillis() <= time.untilMillis())
                .filter(snapshot -> snapshot.counter(counter) != null)
                .toList();
        return inside.size() < 2 ? null : perSecond(inside.getFirst(), inside.getLast(), counter);
    }

    private static @Nullable Long growth(ProcessSnapshot before, ProcessSnapshot now, String pointer) {
        Long from = before.number(pointer);
        Long to = now.number(pointer);
        return from == null || to == null ? null : Long.valueOf(to - from);
    }

    /** Growth of a counter of the server from the first snapshot to the last; the server may be older than the run. */
    public @Nullable Long serverGrowth(String counter) {
        List<Long> values = snapshots.stream()
                .map(snapshot -> snapshot.counter(counter))
                .filter(Objects::nonNull)
                .toList();
        return values.isEmpty() ? null : Long.valueOf(values.getLast() - values.getFirst());
    }

    private static @Nullable Double perSecond(ProcessSnapshot before, ProcessSnapshot after, String counter) {
        Long from = before.counter(counter);
        Long to = after.counter(counter);
        long millis = after.uptimeMillis() - before.uptimeMillis();
        return from == null || to == null || millis <= 0
                ? null
                : Double.valueOf((to - from) * MILLIS_PER_SECOND / millis);
    }

    /** Returns whether the host of this virtual machine used a processor between the snapshots around an interval. */
    public boolean hasSteal(long fromMillis, long toMillis) {
        Double stolen = growth(ProcessSnapshot::machineStolenSeconds, new MeasuredTime(fromMillis, toMillis));
        return stolen != null && stolen > 0;
    }

    /** The last figures of the server. */
    public @Nullable JsonNode lastStats() {
        return snapshots.reversed().stream()
                .map(ProcessSnapshot::stats)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** The difference of each snapshot to the previous one, with times relative to the start of the measurement. */
    public List<Run.Sample> samples(long originMillis) {
        return IntStream.range(1, snapshots.size())
                .mapToObj(i -> sample(snapshots.get(i - 1), snapshots.get(i), originMillis))
                .toList();
    }

    private static Run.Sample sample(ProcessSnapshot before, ProcessSnapshot now, long originMillis) {
        Map<String, @Nullable Number> figures = new LinkedHashMap<>();
        figures.put("connections", now.number("/connectedSessions"));
        figures.put("publishedPerSecond", perSecond(before, now, "publishesIn"));
        figures.put("deliveredPerSecond", perSecond(before, now, "messagesOut"));
        figures.put("connectsPerSecond", perSecond(before, now, "sessionsOpened"));
        figures.put("disconnectsPerSecond", perSecond(before, now, "sessionsClosed"));
        figures.put("serverCores", cores(before, now, ProcessSnapshot::serverCpuSeconds));
        figures.put("serverWaitingCores", cores(before, now, ProcessSnapshot::serverWaitSeconds));
        figures.put("generatorCores", cores(before, now, ProcessSnapshot::generatorsTogether));
        figures.put("machineCores", cores(before, now, ProcessSnapshot::machineBusySeconds));
        figures.put("stolenCores", cores(before, now, ProcessSnapshot::machineStolenSeconds));
        figures.put(
                "processBytes",
                now.server() == null ? null : Long.valueOf(now.server().residentBytes()));
        figures.put("heapBytes", now.number("/heapBytes/used"));
        figures.put("directBytes", now.number("/directBytes"));
        figures.put("kernelBytes", now.kernelBytes());
        figures.put("loopLagP99Millis", now.loopLagMillis("p99"));
        figures.put("loopLagMaxMillis", now.loopLagMillis("max"));
        figures.put("gcPauseMillis", growth(before, now, "/gcPauses/millis"));
        figures.put("queuedBytes", now.counter("queuedBytes"));
        figures.put("slowSessions", now.counter("slowSessions"));
        return new Run.Sample((now.atMillis() - originMillis) / MILLIS_PER_SECOND, figures);
    }

    private static @Nullable Double cores(
            ProcessSnapshot before, ProcessSnapshot now, Function<ProcessSnapshot, @Nullable Double> cpuSeconds) {
        Double from = cpuSeconds.apply(before);
        Double to = cpuSeconds.apply(now);
        double seconds = Math.max(1, now.atMillis() - before.atMillis()) / MILLIS_PER_SECOND;
        return from == null || to == null ? null : Double.valueOf(Math.max(0, to - from) / seconds);
    }

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
            Kernel.@Nullable MachineUse machine,
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

        /** Time that the threads of the server waited for a processor since its start. */
        public @Nullable Double serverWaitSeconds() {
            return server == null ? null : server.waitSeconds();
        }

        /** Busy time of all processors since the boot. */
        @Nullable
        Double machineBusySeconds() {
            return machine == null ? null : Double.valueOf(machine.busySeconds());
        }

        /** The part of the busy time that the host used for something else. */
        @Nullable
        Double machineStolenSeconds() {
            return machine == null ? null : Double.valueOf(machine.stolenSeconds());
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
}
