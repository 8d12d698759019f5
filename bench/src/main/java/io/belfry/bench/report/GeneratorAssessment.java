package io.belfry.bench.report;

import io.belfry.bench.report.BenchVerdict.Check;
import io.belfry.bench.report.BenchVerdict.Level;
import io.belfry.benchkit.measure.Texts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Assesses from the figures of measurements whether the load generators were the limit: late messages, which are in every
 * latency, a rate that was not kept, a fully used core, and a machine without spare CPU, on which server and generators
 * wait for each other, or whose host has other load. Pure.
 */
public record GeneratorAssessment(Run run, int cores, List<Check> checks) {
    private static final Limits LAG = new Limits(0.25, 0.6);
    private static final double LAG_NEGLIGIBLE_MILLIS = 0.2;
    private static final Limits RATE = new Limits(0.005, 0.03);
    private static final Limits CORE = new Limits(0.75, 0.92);
    private static final Limits MACHINE = new Limits(0.8, 0.97);
    private static final Limits OTHERS = new Limits(0.12, 0.35);
    private static final Limits WAITING = new Limits(0.1, 0.4);
    private static final Limits STOLEN = new Limits(0.02, 0.1);

    /** A value is good below {@code fair}, and bad from {@code bad} on. */
    private record Limits(double fair, double bad) {
        Level level(double value) {
            return value < fair ? Level.GREEN : value < bad ? Level.YELLOW : Level.RED;
        }
    }

    /** Returns the worst result of each check over all runs; {@code cores} is the number of cores of the generators' machine. */
    public static BenchVerdict of(List<Run> runs, int cores) {
        Map<String, Check> worst = new LinkedHashMap<>();
        for (Run run : runs) {
            String where = runs.size() > 1 ? " (" + run.name() + ")" : "";
            for (Check check : new GeneratorAssessment(run, cores, new ArrayList<>()).assess()) {
                Check named = new Check(check.name(), check.level(), check.value(), check.sentence() + where);
                worst.merge(check.name(), named, (a, b) -> b.level().compareTo(a.level()) > 0 ? b : a);
            }
        }
        return BenchVerdict.ofGenerators(List.copyOf(worst.values()));
    }

    private List<Check> assess() {
        List<Run.Generator> generators = run.generators().stream()
                .filter(generator -> !isStalled(generator))
                .toList();
        for (Run.Generator generator : generators) {
            lag(generator.name() + " on time", generator.effort().lag(), "from the intended send time to the socket");
            lag(generator.name() + "'s loop", generator.effort().loopLag(), "lateness of its timers");
        }
        rate();
        generators.forEach(this::core);
        machine();
        stolen();
        others();
        waiting();
        return checks;
    }

    /** Whether all readers of a generator stall; its latencies do not count. */
    static boolean isStalled(Run.Generator generator) {
        return "100 %".equals(generator.settings().get("StalledReaders"));
    }

    private void add(String name, Level level, String value, String sentence) {
        checks.add(new Check(name, level, value, sentence));
    }

    private void lag(String name, Run.@Nullable Lag lag, String what) {
        Run.Times times = run.times();
        Latency latency = times.latency() == null ? times.connect() : times.latency();
        if (lag != null && latency != null && latency.count() > 0) {
            double late = lag.percentilesMillis().getOrDefault("99", lag.maxMillis());
            double share = late / Math.max(latency.percentileMillis(99), 1e-3);
            Level level = late <= LAG_NEGLIGIBLE_MILLIS ? Level.GREEN : LAG.level(share);
            String sentence = Texts.format("%.0f %% of the latency's p99, ", share * 100) + what;
            add(name, level, Texts.format("lag p99 %.2f ms", late), sentence);
        }
    }

    private void rate() {
        Run.Rates rates = run.traffic().rates();
        if (rates != null && rates.askedPerSecond() != null && rates.publishedPerSecond() != null) {
            double kept = rates.publishedPerSecond() / rates.askedPerSecond();
            String sentence = Texts.format("of the requested %,.0f messages per second", rates.askedPerSecond());
            add("rate kept", RATE.level(1 - kept), Texts.format("%.1f %%", kept * 100), sentence);
        }
    }

    /** Each generator runs one event loop, which cannot use more than one core. */
    private void core(Run.Generator generator) {
        Double busy = generator.effort().coresBusy();
        if (busy != null) {
            String value = Texts.format("%.0f %% of a core", busy * 100);
            String sentence = "its only event loop can use one core";
            add(generator.name() + " with spare CPU", CORE.level(busy), value, sentence);
        }
    }

    private void machine() {
        average("machineCores").ifPresent(busy -> {
            double share = busy / cores;
            String sentence =
                    Texts.format("of %d cores for server and generators: above 80 %% they wait for each other", cores);
            Level level = MACHINE.level(share);
            add("machine with spare CPU", level, Texts.format("%.0f %% busy", share * 100), sentence);
        });
    }

    /** While the host of a virtual machine uses a processor, everything on that processor waits, the server too. */
    private void stolen() {
        average("stolenCores").ifPresent(stolen -> {
            double share = stolen / cores;
            double most = run.measured("stolenCores")
                    .mapToDouble(Double::doubleValue)
                    .max()
                    .orElse(0);
            String sentence =
                    Texts.format("used by the host of this virtual machine; up to %.2f cores in one second", most);
            add("host without other load", STOLEN.level(share), Texts.format("%.1f %% stolen", share * 100), sentence);
        });
    }

    /** Without the server's CPU, the use by other programs is unknown. */
    private void others() {
        OptionalDouble machine = average("machineCores");
        OptionalDouble server = average("serverCores");
        OptionalDouble generators = average("generatorCores");
        if (machine.isPresent() && server.isPresent() && generators.isPresent()) {
            double own = server.getAsDouble() + generators.getAsDouble();
            double rest = Math.max(
                    0, machine.getAsDouble() - own - average("stolenCores").orElse(0));
            Level level = OTHERS.level(rest / cores);
            add("machine without other load", level, Texts.format("%.2f cores", rest), "used by other programs");
        }
    }

    /** Threads also wait on a machine with spare CPU, because another thread can keep their processor for some milliseconds. */
    private void waiting() {
        OptionalDouble waiting = average("serverWaitingCores");
        OptionalDouble server = average("serverCores");
        if (waiting.isPresent() && server.isPresent()) {
            double share = waiting.getAsDouble() / Math.max(waiting.getAsDouble() + server.getAsDouble(), 1e-3);
            String value = Texts.format("%.0f %% of its time waiting", share * 100);
            add("processors for the server", WAITING.level(share), value, "while other threads used the processors");
        }
    }

    private OptionalDouble average(String figure) {
        return run.measured(figure).mapToDouble(Double::doubleValue).average();
    }
}
