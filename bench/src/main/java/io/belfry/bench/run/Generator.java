package io.belfry.bench.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.bench.report.HistogramLog;
import io.belfry.bench.report.Run;
import io.belfry.bench.scenario.GeneratorPlan;
import io.belfry.benchkit.process.Child;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** A load generator as a child, and what it left behind. Owner: the main thread. */
final class Generator implements AutoCloseable {
    private static final Pattern CONNECTED = Pattern.compile("Connected: [0-9,]+ clients in ");

    /** Where processors are short, the others go first. */
    private static final List<String> YIELDING = List.of("nice", "-n", "10");

    private static final ObjectMapper JSON = new ObjectMapper();

    private final GeneratorPlan plan;
    private final Child child;
    private final Path reportFile;
    private final Path histogramLog;
    private final CompletableFuture<Long> readyAtMillis;
    private final int watched;
    private OptionalInt exitCode = OptionalInt.empty();

    private Generator(
            GeneratorPlan plan,
            Child child,
            Path reportFile,
            Path histogramLog,
            CompletableFuture<Long> readyAtMillis,
            int watched) {
        this.plan = plan;
        this.child = child;
        this.reportFile = reportFile;
        this.histogramLog = histogramLog;
        this.readyAtMillis = readyAtMillis;
        this.watched = watched;
    }

    /** Gets the child's process id and gives it a number of its own. */
    interface Watch {
        int over(long pid);
    }

    /** {@code stem} is what its files' names begin with, folder included. */
    static Generator start(GeneratorPlan plan, Path home, String server, Path stem, Watch watch) {
        Path report = stem.resolveSibling(stem.getFileName() + ".json");
        Path hlog = stem.resolveSibling(stem.getFileName() + ".hlog");
        Path log = stem.resolveSibling(stem.getFileName() + ".log");
        List<String> command = new ArrayList<>(plan.apart() ? YIELDING : List.of());
        command.add(home.resolve("bin").resolve(plan.program()).toString());
        Map<String, String> settings = new LinkedHashMap<>(plan.settings());
        settings.put("ServerAddresses", server);
        settings.put("ReportFile", report.toString());
        settings.put("HistogramLog", hlog.toString());
        Arguments arguments = Arguments.of(plan.program().toUpperCase(Locale.ROOT) + "_", settings);
        command.addAll(arguments.words());
        CompletableFuture<Long> ready = new CompletableFuture<>();
        Child child = Child.start(plan.name(), command, arguments.environment(), log, line -> {
            if (CONNECTED.matcher(line).find()) {
                ready.complete(System.currentTimeMillis());
            }
        });
        return new Generator(plan, child, report, hlog, ready, watch.over(child.pid()));
    }

    String name() {
        return plan.name();
    }

    GeneratorPlan plan() {
        return plan;
    }

    /** Its number among the processes that are watched. */
    int watched() {
        return watched;
    }

    /** When all its clients were connected; empty while they are not. */
    Optional<Long> readyAtMillis() {
        return Optional.ofNullable(readyAtMillis.getNow(null));
    }

    boolean hasEnded() {
        return child.hasEnded();
    }

    String lastWord() {
        return child.lastWord();
    }

    void askToEnd() {
        child.askToEnd();
    }

    void awaitEnd() {
        if (exitCode.isEmpty()) {
            exitCode = OptionalInt.of(child.awaitEnd().orElse(-1));
        }
    }

    /** What it wrote to its report file; an empty object where it did not come to that. */
    JsonNode report() {
        try {
            return Files.exists(reportFile) ? JSON.readTree(reportFile.toFile()) : JSON.createObjectNode();
        } catch (IOException e) {
            // Half a file of a generator that was killed: its figures are lost, and the exit code tells.
            return JSON.createObjectNode();
        }
    }

    Optional<HistogramLog> histogramLog() {
        try {
            return Files.exists(histogramLog) ? Optional.of(HistogramLog.read(histogramLog)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** For the report. */
    Run.Generator figures(Optional<Double> cpuSeconds, Optional<Double> coresBusy) {
        JsonNode report = report();
        List<String> problems = new ArrayList<>();
        report.path("problems").forEach(problem -> problems.add(problem.asText()));
        return new Run.Generator(
                plan.name(),
                plan.program(),
                plan.clients(),
                report.path("ready").asInt(),
                exitCode.orElse(-1),
                cpuSeconds.orElse(null),
                coresBusy.orElse(null),
                lag(report.path("lag")),
                lag(report.path("generator").path("loopLag")),
                problems,
                shown(plan.settings()));
    }

    /** What its check found, the first ones of each kind. */
    List<Run.Finding> findings() {
        JsonNode all = report().path("findings");
        return Stream.of("lost", "duplicated", "reordered")
                .flatMap(kind -> StreamSupport.stream(all.path(kind).spliterator(), false)
                        .map(found -> new Run.Finding(
                                plan.name(),
                                kind,
                                found.path("subject").asText(),
                                found.path("publisher").asLong(),
                                found.path("client").asLong(),
                                found.path("from").asLong(),
                                found.path("to").asLong())))
                .toList();
    }

    private static Map<String, String> shown(Map<String, String> settings) {
        Map<String, String> shown = new LinkedHashMap<>(settings);
        shown.computeIfPresent("EntitlementToken", (key, secret) -> "(hidden)");
        return shown;
    }

    private static Run.@Nullable Lag lag(JsonNode lag) {
        if (lag.path("count").asLong() == 0) {
            return null;
        }
        Map<String, Double> percentiles = new LinkedHashMap<>();
        lag.path("percentilesMillis")
                .properties()
                .forEach(percentile -> percentiles.put(
                        percentile.getKey(), percentile.getValue().asDouble()));
        return new Run.Lag(lag.path("count").asLong(), lag.path("maxMillis").asDouble(), percentiles);
    }

    @Override
    public void close() {
        awaitEnd();
        child.close();
    }
}
