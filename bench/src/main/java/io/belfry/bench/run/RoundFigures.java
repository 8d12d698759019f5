package io.belfry.bench.run;

import io.belfry.bench.report.HistogramLog;
import io.belfry.bench.report.Latency;
import io.belfry.bench.report.MergedLogs;
import io.belfry.bench.report.Run;
import io.belfry.bench.sample.MeasuredTime;
import io.belfry.bench.sample.Timeline;
import io.belfry.bench.sample.Timeline.ProcessSnapshot;
import io.belfry.bench.scenario.BenchPlan;
import io.belfry.bench.scenario.BenchScenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Makes the figures of a measurement from the files of its processes and from the snapshots. Owner: the main thread. */
record RoundFigures(
        BenchPlan plan,
        BenchScenario.Round round,
        MeasuredTime time,
        List<GeneratorProcess> generators,
        Timeline timeline) {
    private static final double MILLION = 1e6;

    private List<GeneratorProcess> subscribers() {
        return generators.stream().filter(each -> !each.plan().publishes()).toList();
    }

    private List<GeneratorProcess> publishers() {
        return generators.stream().filter(each -> each.plan().publishes()).toList();
    }

    Run run(@Nullable ServerUnderTest server, Run.Memory.@Nullable Moment before, Run.Memory.@Nullable Moment with) {
        List<HistogramLog> measured = logs(each -> !each.plan().apart());
        List<HistogramLog> all = new ArrayList<>(measured);
        all.addAll(logs(each -> each.plan().apart()));
        MergedLogs messages = MergedLogs.of(measured).tagged("");
        Latency latency = plan.churns() ? null : window(messages);
        MergedLogs connects = MergedLogs.of(all).tagged(HistogramLog.CONNECT);
        Latency connect = plan.churns() || connects.isEmpty() ? window(connects) : connects.latency(time.fromMillis());
        return new Run(
                round.name(),
                round.sentence(),
                plan.churns() ? null : (int) sum(subscribers(), "/ready"),
                time.seconds(),
                new Run.Times(latency, withoutSteal(messages), connect, plan.churns() ? phases(connects) : List.of()),
                new Run.Traffic(
                        rates(latency),
                        subscribers().isEmpty() ? null : delivery(),
                        subscribers().stream()
                                .flatMap(each -> each.findings().stream())
                                .toList()),
                new Run.Observed(
                        server == null ? null : server(server),
                        before == null || with == null
                                ? null
                                : Run.Memory.between(before, with, plan.workload().clients),
                        timeline.samples(time.fromMillis())),
                generators.stream().map(this::generator).toList());
    }

    private List<HistogramLog> logs(Predicate<GeneratorProcess> wanted) {
        return subscribers().stream()
                .filter(wanted)
                .flatMap(each -> each.histogramLog().stream())
                .toList();
    }

    private static long sum(List<GeneratorProcess> processes, String pointer) {
        return processes.stream()
                .mapToLong(each -> each.report().at(pointer).asLong())
                .sum();
    }

    private static long count(List<GeneratorProcess> processes, String name) {
        return sum(processes, "/counts/" + name);
    }

    private @Nullable Latency window(MergedLogs merged) {
        return merged.isEmpty() ? null : merged.latency(time.fromMillis(), time.untilMillis());
    }

    /** Returns the latency of the seconds without steal; null if no second had any, or all had. */
    private @Nullable Latency withoutSteal(MergedLogs messages) {
        MergedLogs inside = messages.inside(time.fromMillis(), time.untilMillis());
        MergedLogs rest = inside.where(each -> !timeline.hasSteal(each.fromMillis(), each.toMillis()));
        boolean divided =
                !rest.isEmpty() && rest.intervals().size() < inside.intervals().size();
        return divided ? rest.latency(time.fromMillis()) : null;
    }

    private List<Run.Phase> phases(MergedLogs connects) {
        List<Run.Phase> phases = new ArrayList<>();
        if (!connects.isEmpty() && time.hasMeasured()) {
            addPhase(phases, "ramp up", connects, connects.fromMillis(), time.fromMillis());
            addPhase(phases, "sustain", connects, time.fromMillis(), time.untilMillis());
            addPhase(phases, "ramp down", connects, time.untilMillis(), connects.toMillis());
        }
        return phases;
    }

    private static void addPhase(List<Run.Phase> phases, String name, MergedLogs connects, long from, long to) {
        double seconds = (to - from) / 1e3;
        if (seconds > 0) {
            Latency latency = connects.within(from, to);
            phases.add(new Run.Phase(name, seconds, latency.count() / seconds, latency));
        }
    }

    private Run.Rates rates(@Nullable Latency latency) {
        boolean publishes = plan.publisher().isPresent();
        return new Run.Rates(
                publishes ? plan.workload().rate : null,
                publishes ? published() : null,
                latency == null ? null : delivered(latency),
                timeline.serverRate("sessionsOpened", time));
    }

    /** The rate as counted by the publisher, or by the server if the publisher has no figures. */
    private @Nullable Double published() {
        double seconds = publishers().stream()
                .mapToDouble(each -> each.report().path("measuredSeconds").asDouble())
                .max()
                .orElse(0);
        return seconds > 0
                ? Double.valueOf(count(publishers(), "published") / seconds)
                : timeline.serverRate("publishesIn", time);
    }

    private @Nullable Double delivered(Latency latency) {
        Double byServer = timeline.serverRate("messagesOut", time);
        return byServer != null || time.seconds() == 0 ? byServer : Double.valueOf(latency.count() / time.seconds());
    }

    private Run.Delivery delivery() {
        return Run.Delivery.of(
                name -> count(subscribers(), name),
                publishers().isEmpty() ? null : name -> count(publishers(), name),
                timeline.serverGrowth("messagesOut"));
    }

    private Run.Server server(ServerUnderTest server) {
        Double cpu = timeline.growth(ProcessSnapshot::serverCpuSeconds, time);
        Double cores = cpu == null || time.seconds() == 0 ? null : Double.valueOf(cpu / time.seconds());
        String unknown =
                server.pid().isEmpty() ? "the server runs elsewhere, so its CPU time is unknown" : "not measured";
        return new Run.Server(
                cores == null ? null : cpu,
                cores,
                plan.churns() ? null : perMillion(cores, timeline.serverRate("messagesOut", time)),
                plan.churns() ? perMillion(cores, timeline.serverRate("sessionsOpened", time)) : null,
                cores == null ? unknown : null,
                server.jvmOptions(),
                settings(),
                timeline.lastStats());
    }

    private static @Nullable Double perMillion(@Nullable Double cores, @Nullable Double perSecond) {
        return cores == null || perSecond == null || perSecond < 1 ? null : Double.valueOf(cores / perSecond * MILLION);
    }

    private Map<String, String> settings() {
        Map<String, String> settings = Arguments.withoutSecrets(Arguments.split(plan.serverSettings("")));
        settings.remove("LogFolder");
        return settings;
    }

    private Run.Generator generator(GeneratorProcess generator) {
        long pid = generator.child().pid();
        Double cpu = timeline.growth(snapshot -> snapshot.generatorsCpuSeconds().get(pid), time);
        return generator.figures(cpu == null || time.seconds() == 0 ? null : Double.valueOf(cpu / time.seconds()));
    }
}
