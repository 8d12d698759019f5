package io.belfry.bench.run;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.bench.report.HistogramLog;
import io.belfry.bench.report.Run;
import io.belfry.bench.scenario.BenchPlan.GeneratorPlan;
import io.belfry.benchkit.measure.Findings;
import io.belfry.benchkit.process.Child;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A load generator as a child process, and the files that it writes. Owner: the main thread.
 *
 * @param stem the path of its files without the extension
 * @param readyAtMillis completes when all clients are connected
 */
record GeneratorProcess(GeneratorPlan plan, Child child, Path stem, CompletableFuture<Long> readyAtMillis) {
    private static final Pattern CONNECTED = Pattern.compile("Connected: [0-9,]+ clients in ");
    /** Lowers the priority of a generator that must not delay the others. */
    private static final List<String> YIELDING = List.of("nice", "-n", "10");

    /** A report has more figures than this program reads. */
    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /** Starts a generator. */
    static GeneratorProcess start(GeneratorPlan plan, ScenarioRun scenario, String server, Path stem) {
        List<String> command = new ArrayList<>(plan.apart() ? YIELDING : List.of());
        command.addAll(scenario.plan().generatorPrefix());
        command.add(scenario.home().resolve("bin").resolve(plan.program()).toString());
        Map<String, String> settings = new LinkedHashMap<>(plan.settings());
        settings.put("ServerAddresses", server);
        settings.put("ReportFile", stem + ".json");
        settings.put("HistogramLog", stem + ".hlog");
        Arguments arguments = Arguments.of(plan.program().toUpperCase(Locale.ROOT) + "_", settings);
        command.addAll(arguments.words());
        CompletableFuture<Long> ready = new CompletableFuture<>();
        Path log = Path.of(stem + ".log");
        Child child = Child.start(plan.name(), command, arguments.environment(), log, line -> {
            if (CONNECTED.matcher(line).find()) {
                ready.complete(System.currentTimeMillis());
            }
        });
        return new GeneratorProcess(plan, child, stem, ready);
    }

    boolean isReady() {
        return readyAtMillis.isDone();
    }

    /** Its report file; an empty object if the file is missing, or incomplete because the generator was killed. */
    JsonNode report() {
        try {
            return JSON.readTree(new File(stem + ".json"));
        } catch (IOException e) {
            return JSON.createObjectNode();
        }
    }

    Optional<HistogramLog> histogramLog() {
        try {
            return Optional.of(HistogramLog.read(Path.of(stem + ".hlog")));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Its figures for the report. */
    Run.Generator figures(@Nullable Double coresBusy) {
        JsonNode report = report();
        Double cpuSeconds = report.has("cpuSeconds")
                ? Double.valueOf(report.path("cpuSeconds").asDouble())
                : null;
        return new Run.Generator(
                plan.name(),
                plan.program(),
                plan.clients(),
                report.path("ready").asInt(),
                child.awaitEnd().orElse(-1),
                new Run.Effort(
                        cpuSeconds,
                        coresBusy,
                        lag(report.path("lag")),
                        lag(report.path("generator").path("loopLag"))),
                report.path("problems").valueStream().map(JsonNode::asText).toList(),
                Arguments.withoutSecrets(plan.settings()));
    }

    /** The faults that its delivery check found, the first of each kind. */
    List<Run.Finding> findings() {
        JsonNode all = report().path("findings");
        return Stream.of("lost", "duplicated", "reordered")
                .flatMap(kind -> all.path(kind)
                        .valueStream()
                        .map(found -> JSON.convertValue(found, Findings.Finding.class))
                        .map(found -> new Run.Finding(plan.name(), kind, found)))
                .toList();
    }

    private static Run.@Nullable Lag lag(JsonNode lag) {
        return lag.path("count").asLong() == 0 ? null : JSON.convertValue(lag, Run.Lag.class);
    }
}
