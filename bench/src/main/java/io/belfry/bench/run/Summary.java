package io.belfry.bench.run;

import io.belfry.bench.report.Latency;
import io.belfry.bench.report.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The figures of a run for the terminal. Pure. */
final class Summary {
    private Summary() {}

    static List<String> lines(Run run) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add(run.name());
        latency(lines, "latency", run.latency(), "");
        latency(lines, "connect", run.connect(), "");
        rates(lines, run);
        Run.Server server = run.server();
        if (server != null && server.cpuSecondsPerMillionDeliveries() != null) {
            row(
                    lines,
                    "server CPU",
                    String.format(
                            Locale.ROOT, "%.2f s per million deliveries", server.cpuSecondsPerMillionDeliveries()));
        }
        if (server != null && server.cpuSecondsPerMillionConnects() != null) {
            row(
                    lines,
                    "server CPU",
                    String.format(
                            Locale.ROOT, "%.2f s per million connections", server.cpuSecondsPerMillionConnects()));
        }
        Run.Memory memory = run.memory();
        if (memory != null) {
            row(
                    lines,
                    "memory",
                    String.format(
                            Locale.ROOT,
                            "%,.0f bytes of heap and %,.0f of the process a connection",
                            memory.heapBytesPerConnection(),
                            memory.processBytesPerConnection()));
        }
        Run.Delivery delivery = run.delivery();
        if (delivery != null && delivery.stalled() > 0) {
            row(
                    lines,
                    "stalled",
                    String.format(
                            Locale.ROOT,
                            "%,d readers; the server disconnected %,d of them and %,d others; told of %,d dropped and %,d"
                                    + " conflated messages",
                            delivery.stalled(),
                            delivery.stalledDisconnected(),
                            delivery.disconnections(),
                            delivery.stalledDropped(),
                            delivery.stalledConflated()));
        }
        for (Run.Phase phase : run.phases()) {
            latency(
                    lines,
                    phase.name(),
                    phase.connect(),
                    String.format(Locale.ROOT, "%,.0f connects a second  ", phase.connectsPerSecond()));
        }
        if (delivery != null && delivery.received() > 0) {
            row(
                    lines,
                    "deliveries",
                    String.format(
                            Locale.ROOT,
                            "%,d received, lost %,d, duplicated %,d, reordered %,d",
                            delivery.received(),
                            delivery.lost(),
                            delivery.duplicated(),
                            delivery.reordered()));
        }
        return lines;
    }

    private static void rates(List<String> lines, Run run) {
        Run.Rates rates = run.rates();
        if (rates != null && rates.deliveredPerSecond() != null) {
            row(lines, "delivered", String.format(Locale.ROOT, "%,.0f messages a second", rates.deliveredPerSecond()));
        }
        if (rates != null && rates.connectsPerSecond() != null && rates.connectsPerSecond() > 1) {
            row(lines, "connects", String.format(Locale.ROOT, "%,.0f a second", rates.connectsPerSecond()));
        }
    }

    private static void latency(List<String> lines, String name, @Nullable Latency latency, String before) {
        if (latency != null && latency.count() > 0) {
            row(
                    lines,
                    name,
                    before
                            + String.format(
                                    Locale.ROOT,
                                    "p50 %.3f ms  p99 %.3f ms  p99.9 %.3f ms  max %.3f ms",
                                    latency.percentileMillis(50),
                                    latency.percentileMillis(99),
                                    latency.percentileMillis(99.9),
                                    latency.maxMillis()));
        }
    }

    private static void row(List<String> lines, String name, String text) {
        lines.add(String.format(Locale.ROOT, "  %-12s", name) + text);
    }
}
