package io.belfry.bench.run;

import io.belfry.bench.report.HistogramLog;
import io.belfry.bench.report.Latency;
import io.belfry.bench.report.Merged;
import io.belfry.bench.report.Run;
import io.belfry.bench.sample.Look;
import io.belfry.bench.sample.Timeline;
import io.belfry.bench.scenario.Planner;
import io.belfry.bench.scenario.Scenario;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the figures of a round of what its processes left behind and what was seen of them. Owner: the main thread. */
final class RoundFigures {
    private static final double MILLION = 1e6;

    private final Planner planner;
    private final Scenario.Round round;
    private final Phases phases;
    private final List<Generator> generators;
    private final Timeline timeline;

    RoundFigures(Planner planner, Scenario.Round round, Phases phases, List<Generator> generators, List<Look> looks) {
        this.planner = planner;
        this.round = round;
        this.phases = phases;
        this.generators = List.copyOf(generators);
        this.timeline = new Timeline(looks);
    }

    Run run(@Nullable ServerUnderTest server, Optional<Run.Memory.Moment> before, Optional<Run.Memory.Moment> with) {
        List<HistogramLog> asked = logs(each -> !each.plan().apart());
        List<HistogramLog> logs = new ArrayList<>(asked);
        logs.addAll(logs(each -> each.plan().apart()));
        Latency latency = comesAndGoes() ? null : window(Merged.of(asked, ""));
        Merged connects = Merged.of(logs, HistogramLog.CONNECT);
        return new Run(
                round.name(),
                round.sentence(),
                comesAndGoes() ? null : (int) sum(subscribers(), "/ready"),
                phases.seconds(),
                latency,
                comesAndGoes() ? window(connects) : whole(connects),
                comesAndGoes() ? phasesOf(connects) : List.of(),
                rates(latency),
                subscribers().isEmpty() ? null : delivery(),
                subscribers().stream().flatMap(each -> each.findings().stream()).toList(),
                server == null ? null : server(server),
                memory(before, with),
                timeline.samples(phases.fromMillis()),
                generators.stream().map(this::generator).toList());
    }

    private List<HistogramLog> logs(Predicate<Generator> wanted) {
        return subscribers().stream()
                .filter(wanted)
                .flatMap(each -> each.histogramLog().stream())
                .toList();
    }

    private boolean comesAndGoes() {
        return planner.scenario() == Scenario.CHURN;
    }

    private List<Generator> subscribers() {
        return of("benchsub");
    }

    private List<Generator> of(String program) {
        return generators.stream()
                .filter(each -> each.plan().program().equals(program))
                .toList();
    }

    private static long sum(List<Generator> of, String pointer) {
        return of.stream().mapToLong(each -> each.report().at(pointer).asLong()).sum();
    }

    private static long count(List<Generator> of, String name) {
        return sum(of, "/counts/" + name);
    }

    private @Nullable Latency window(Merged merged) {
        return merged.isEmpty() ? null : merged.latency(phases.fromMillis(), phases.untilMillis());
    }

    private @Nullable Latency whole(Merged merged) {
        return merged.isEmpty() ? null : merged.latency(phases.fromMillis());
    }

    private List<Run.Phase> phasesOf(Merged connects) {
        if (connects.isEmpty() || !phases.hasMeasured()) {
            return List.of();
        }
        return Stream.of(
                        phase("ramp up", connects, connects.fromMillis(), phases.fromMillis()),
                        phase("sustain", connects, phases.fromMillis(), phases.untilMillis()),
                        phase("ramp down", connects, phases.untilMillis(), connects.toMillis()))
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<Run.Phase> phase(String name, Merged connects, long fromMillis, long toMillis) {
        double seconds = (toMillis - fromMillis) / 1e3;
        if (seconds <= 0) {
            return Optional.empty();
        }
        Latency latency = connects.within(fromMillis, toMillis);
        return Optional.of(new Run.Phase(name, seconds, latency.count() / seconds, latency));
    }

    private Run.Rates rates(@Nullable Latency latency) {
        boolean publishes = planner.publisher().isPresent();
        return new Run.Rates(
                publishes ? planner.workload().rate() : null,
                publishes ? orNull(published()) : null,
                latency == null ? null : orNull(deliveries(latency)),
                orNull(serverRate("sessionsOpened")));
    }

    /** As the publisher itself counts, or else the server. */
    private OptionalDouble published() {
        List<Generator> publishers = of("benchpub");
        double seconds = publishers.stream()
                .mapToDouble(each -> each.report().path("measuredSeconds").asDouble())
                .max()
                .orElse(0);
        return seconds > 0 ? OptionalDouble.of(count(publishers, "published") / seconds) : serverRate("publishesIn");
    }

    private OptionalDouble deliveries(Latency latency) {
        OptionalDouble byServer = serverRate("messagesOut");
        return byServer.isPresent() || phases.seconds() == 0
                ? byServer
                : OptionalDouble.of(latency.count() / phases.seconds());
    }

    private OptionalDouble serverRate(String counter) {
        return timeline.serverRate(counter, phases.fromMillis(), phases.untilMillis());
    }

    private Run.Delivery delivery() {
        List<Generator> subs = subscribers();
        List<Generator> pubs = of("benchpub");
        OptionalLong sent = timeline.serverGrowth("messagesOut");
        return new Run.Delivery(
                pubs.isEmpty() ? null : count(pubs, "published") + count(pubs, "warmUpPublished"),
                count(pubs, "acknowledged") == 0 ? null : count(pubs, "acknowledged"),
                expected(subs),
                sent.isPresent() ? sent.getAsLong() : null,
                count(subs, "messages") + count(subs, "warmUpMessages"),
                count(subs, "endMarks"),
                count(subs, "lost"),
                count(subs, "duplicated"),
                count(subs, "reordered"),
                count(subs, "misdelivered"),
                count(subs, "positionsMissing"),
                count(subs, "gapsAnnounced"),
                count(subs, "disconnections"),
                count(subs, "connectsFailed"),
                count(subs, "stalled"),
                count(subs, "stalledDisconnected"),
                count(subs, "stalledMessages"),
                count(subs, "stalledDropped"),
                count(subs, "stalledConflated"),
                count(subs, "stalledSkipped"),
                count(subs, "stalledRepeated"),
                count(subs, "stalledBehind"),
                count(subs, "errors") + count(pubs, "errors"));
    }

    /** Only where each stream's end mark came is it known how many there were. */
    private static @Nullable Long expected(List<Generator> subs) {
        return count(subs, "endMarks") == 0 || count(subs, "endMarksMissing") > 0 ? null : count(subs, "expected");
    }

    private Run.Server server(ServerUnderTest server) {
        OptionalDouble cpu = timeline.growth(Timeline::serverCpu, phases.fromMillis(), phases.untilMillis());
        double seconds = phases.seconds();
        boolean known = cpu.isPresent() && seconds > 0;
        Double cores = known ? cpu.getAsDouble() / seconds : null;
        return new Run.Server(
                known ? cpu.getAsDouble() : null,
                cores,
                perMillion(cores, comesAndGoes() ? OptionalDouble.empty() : serverRate("messagesOut")),
                perMillion(cores, comesAndGoes() ? serverRate("sessionsOpened") : OptionalDouble.empty()),
                note(server, known),
                server.jvmOptions(),
                settings(),
                timeline.lastWithStats().flatMap(Look::stats).orElse(null));
    }

    private static @Nullable String note(ServerUnderTest server, boolean known) {
        if (known) {
            return null;
        }
        return server.pid().isEmpty() ? "the server runs elsewhere: its CPU is not seen from here" : "not measured";
    }

    private static @Nullable Double perMillion(@Nullable Double cores, OptionalDouble perSecond) {
        return cores == null || perSecond.isEmpty() || perSecond.getAsDouble() < 1
                ? null
                : Double.valueOf(cores / perSecond.getAsDouble() * MILLION);
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String setting : planner.serverSettings("")) {
            int equals = setting.indexOf('=');
            String key = setting.substring(0, Math.max(0, equals));
            if (!key.equals("LogFolder")) {
                settings.put(
                        key,
                        key.contains("Token") || key.contains("Password") ? "(hidden)" : setting.substring(equals + 1));
            }
        }
        return settings;
    }

    private Run.@Nullable Memory memory(Optional<Run.Memory.Moment> before, Optional<Run.Memory.Moment> with) {
        return before.isEmpty() || with.isEmpty()
                ? null
                : Run.Memory.between(
                        before.get(), with.get(), planner.workload().clients());
    }

    private Run.Generator generator(Generator generator) {
        int place = generator.watched();
        OptionalDouble within =
                timeline.growth(look -> cpuSeconds(look, place), phases.fromMillis(), phases.untilMillis());
        Optional<Double> all = generator.report().has("cpuSeconds")
                ? Optional.of(generator.report().path("cpuSeconds").asDouble())
                : Optional.empty();
        return generator.figures(
                all,
                within.isPresent() && phases.seconds() > 0
                        ? Optional.of(within.getAsDouble() / phases.seconds())
                        : Optional.empty());
    }

    private static OptionalDouble cpuSeconds(Look look, int place) {
        List<OptionalDouble> all = look.generatorsCpuSeconds();
        return place < all.size() ? all.get(place) : OptionalDouble.empty();
    }

    private static @Nullable Double orNull(OptionalDouble value) {
        return value.isPresent() ? Double.valueOf(value.getAsDouble()) : null;
    }
}
