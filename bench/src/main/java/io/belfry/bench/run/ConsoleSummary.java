package io.belfry.bench.run;

import io.belfry.bench.report.BenchReport;
import io.belfry.bench.report.BenchVerdict;
import io.belfry.bench.report.Latency;
import io.belfry.bench.report.ReportFiles;
import io.belfry.bench.report.Run;
import io.belfry.benchkit.measure.Texts;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Prints the figures of a report on the terminal. Owner: the main thread. */
record ConsoleSummary(PrintWriter out) {
    void print(BenchReport report, Path page) {
        report.runs().forEach(this::print);
        BenchVerdict verdict = Objects.requireNonNull(report.verdict());
        out.println("  generators: " + verdict.level().text() + " - " + verdict.sentence());
        if (report.claim() != null) {
            for (BenchVerdict.Check check : report.claim().checks()) {
                out.println("  " + check.level().text() + ": " + check.name() + ", " + check.value() + "; "
                        + check.sentence());
            }
        }
        out.println("report: " + page + " and " + ReportFiles.jsonBeside(page).getFileName());
    }

    private void print(Run run) {
        out.println();
        out.println(run.name());
        latency("latency", run.times().latency(), "");
        latency("no steal", run.times().latencyWithoutSteal(), "");
        latency("connect", run.times().connect(), "");
        server(run);
        delivery(run);
    }

    private void server(Run run) {
        Run.Rates rates = run.traffic().rates();
        if (rates != null) {
            row("delivered", "%,.0f messages per second", rates.deliveredPerSecond());
        }
        if (rates != null && rates.connectsPerSecond() != null && rates.connectsPerSecond() > 1) {
            row("connects", "%,.0f per second", rates.connectsPerSecond());
        }
        Run.Server server = run.observed().server();
        if (server != null) {
            row("server CPU", "%.2f s per million deliveries", server.cpuSecondsPerMillionDeliveries());
            row("server CPU", "%.2f s per million connections", server.cpuSecondsPerMillionConnects());
        }
        DoubleSummaryStatistics pauses =
                run.measured("gcPauseMillis").mapToDouble(Double::doubleValue).summaryStatistics();
        if (pauses.getCount() > 0) {
            row("collector", "%,.0f ms of pauses, at most %,.0f ms in a second", pauses.getSum(), pauses.getMax());
        }
        Run.Memory memory = run.observed().memory();
        if (memory != null) {
            String format = "%,.0f bytes of heap and %,.0f of the process per connection";
            row(
                    "memory",
                    format,
                    memory.heap().perConnection(),
                    memory.process().perConnection());
        }
    }

    private void delivery(Run run) {
        Run.Delivery delivery = run.traffic().delivery();
        if (delivery != null && delivery.of("stalled") > 0) {
            row(
                    "stalled",
                    "%,d readers; the server disconnected %,d of them and %,d others; announced as dropped: %,d, as"
                            + " conflated: %,d messages",
                    delivery,
                    List.of("stalled", "stalledDisconnected", "disconnections", "stalledDropped", "stalledConflated"));
        }
        for (Run.Phase phase : run.times().phases()) {
            String rate = Texts.format("%,.0f connects per second  ", phase.connectsPerSecond());
            latency(phase.name(), phase.connect(), rate);
        }
        if (delivery != null && delivery.of("received") > 0) {
            String format = "%,d received, lost %,d, duplicated %,d, reordered %,d";
            row("deliveries", format, delivery, List.of("received", "lost", "duplicated", "reordered"));
        }
    }

    private void row(String name, String format, Run.Delivery delivery, List<String> counts) {
        row(name, format, counts.stream().map(delivery::of).toArray());
    }

    private void latency(String name, @Nullable Latency latency, String before) {
        if (latency != null && latency.count() > 0) {
            row(
                    name,
                    before + "p50 %.3f ms  p99 %.3f ms  p99.9 %.3f ms  max %.3f ms",
                    latency.percentileMillis(50),
                    latency.percentileMillis(99),
                    latency.percentileMillis(99.9),
                    latency.maxMillis());
        }
    }

    /** Adds a row, unless a value is unknown. */
    private void row(String name, String format, @Nullable Object... values) {
        if (Stream.of(values).allMatch(Objects::nonNull)) {
            out.println(Texts.format("  %-12s", name) + Texts.format(format, values));
        }
    }
}
