package io.belfry.bench.report;

import io.belfry.bench.report.Verdict.Check;
import io.belfry.bench.report.Verdict.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Judges from measurements' own figures whether their load generators were the limit. Pure.
 *
 * <p>What it holds against them: coming late with messages (the lateness is in every latency), not keeping the rate, a
 * processor of their own used up, and a machine with nothing left, on which server and generators wait for each other.
 */
public final class Judge {
    private static final double LAG_FAIR = 0.25;
    private static final double LAG_BAD = 0.6;
    private static final double LAG_ALWAYS_FINE_MILLIS = 0.2;
    private static final double RATE_FAIR = 0.005;
    private static final double RATE_BAD = 0.03;
    private static final double CORE_FAIR = 0.75;
    private static final double CORE_BAD = 0.92;
    private static final double MACHINE_FAIR = 0.8;
    private static final double MACHINE_BAD = 0.97;
    private static final double OTHERS_FAIR = 0.12;
    private static final double OTHERS_BAD = 0.35;

    private Judge() {}

    /** Of each thing looked at, the worst of all runs. {@code cores} is how many the machine has that runs the generators. */
    public static Verdict of(List<Run> runs, int cores) {
        Map<String, Check> worst = new LinkedHashMap<>();
        for (Run run : runs) {
            String where = runs.size() > 1 ? " (" + run.name() + ")" : "";
            for (Check check : checks(run, cores)) {
                Check named = new Check(check.name(), check.level(), check.value(), check.sentence() + where);
                worst.merge(check.name(), named, (a, b) -> b.level().compareTo(a.level()) > 0 ? b : a);
            }
        }
        return Verdict.of(List.copyOf(worst.values()));
    }

    private static List<Check> checks(Run run, int cores) {
        List<Check> checks = new ArrayList<>();
        List<Run.Generator> generators = run.generators().stream()
                .filter(generator -> !isStalled(generator))
                .toList();
        for (Run.Generator generator : generators) {
            lag(run, generator.name() + " on time", generator.lag(), "from the intended send to the socket")
                    .ifPresent(checks::add);
            lag(run, generator.name() + "'s loop", generator.loopLag(), "late to what was due")
                    .ifPresent(checks::add);
        }
        rate(run.rates()).ifPresent(checks::add);
        for (Run.Generator generator : generators) {
            core(generator).ifPresent(checks::add);
        }
        machine(run, cores).ifPresent(checks::add);
        others(run, cores).ifPresent(checks::add);
        return checks;
    }

    /** Where all readers stall, nothing that comes is in the latencies. */
    static boolean isStalled(Run.Generator generator) {
        return "100 %".equals(generator.settings().get("StalledReaders"));
    }

    private static Optional<Check> lag(Run run, String name, Run.@Nullable Lag lag, String what) {
        Latency latency = run.latency() == null ? run.connect() : run.latency();
        if (lag == null || latency == null || latency.count() == 0) {
            return Optional.empty();
        }
        double late = lag.percentilesMillis().getOrDefault("99", lag.maxMillis());
        double share = late / Math.max(latency.percentileMillis(99), 1e-3);
        Level level = late <= LAG_ALWAYS_FINE_MILLIS ? Level.GREEN : Level.of(share, LAG_FAIR, LAG_BAD);
        return Optional.of(new Check(
                name,
                level,
                String.format(Locale.ROOT, "lag p99 %.2f ms", late),
                String.format(Locale.ROOT, "%.0f %% of the latency's p99, ", share * 100) + what));
    }

    private static Optional<Check> rate(Run.@Nullable Rates rates) {
        if (rates == null || rates.askedPerSecond() == null || rates.publishedPerSecond() == null) {
            return Optional.empty();
        }
        double kept = rates.publishedPerSecond() / rates.askedPerSecond();
        return Optional.of(new Check(
                "rate kept",
                Level.of(1 - kept, RATE_FAIR, RATE_BAD),
                String.format(Locale.ROOT, "%.1f %%", kept * 100),
                String.format(Locale.ROOT, "of the %,.0f messages a second asked for", rates.askedPerSecond())));
    }

    /** Each generator runs one event loop, which cannot use more than one core. */
    private static Optional<Check> core(Run.Generator generator) {
        Double busy = generator.coresBusy();
        return busy == null
                ? Optional.empty()
                : Optional.of(new Check(
                        generator.name() + " with CPU to spare",
                        Level.of(busy, CORE_FAIR, CORE_BAD),
                        String.format(Locale.ROOT, "%.0f %% of a core", busy * 100),
                        "its one event loop can use one"));
    }

    private static Optional<Check> machine(Run run, int cores) {
        OptionalDouble busy = average(run, Run.Sample::machineCores);
        if (busy.isEmpty()) {
            return Optional.empty();
        }
        double share = busy.getAsDouble() / cores;
        return Optional.of(new Check(
                "machine with CPU to spare",
                Level.of(share, MACHINE_FAIR, MACHINE_BAD),
                String.format(Locale.ROOT, "%.0f %% busy", share * 100),
                String.format(
                        Locale.ROOT,
                        "of %d cores that server and generators share: beyond 80 %% they wait for each other",
                        cores)));
    }

    /** Where the server's CPU is not seen there is no telling whose the rest is. */
    private static Optional<Check> others(Run run, int cores) {
        OptionalDouble machine = average(run, Run.Sample::machineCores);
        OptionalDouble server = average(run, Run.Sample::serverCores);
        OptionalDouble generators = average(run, Run.Sample::generatorCores);
        if (machine.isEmpty() || server.isEmpty() || generators.isEmpty()) {
            return Optional.empty();
        }
        double rest = Math.max(0, machine.getAsDouble() - server.getAsDouble() - generators.getAsDouble());
        return Optional.of(new Check(
                "machine to themselves",
                Level.of(rest / cores, OTHERS_FAIR, OTHERS_BAD),
                String.format(Locale.ROOT, "%.2f cores", rest),
                "used by something that has no part in this"));
    }

    private static OptionalDouble average(Run run, Function<Run.Sample, @Nullable Double> figure) {
        List<Double> values = new ArrayList<>();
        for (Run.Sample sample : run.samples()) {
            Double value = figure.apply(sample);
            if (value != null && sample.second() > 0 && sample.second() <= run.measuredSeconds()) {
                values.add(value);
            }
        }
        return values.stream().mapToDouble(Double::doubleValue).average();
    }
}
