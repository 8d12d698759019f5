package io.belfry.bench.run;

import io.belfry.bench.report.BenchReport;
import io.belfry.bench.report.BenchVerdict;
import io.belfry.bench.report.GeneratorAssessment;
import io.belfry.bench.report.ReportFiles;
import io.belfry.bench.report.Run;
import io.belfry.bench.report.SlowClaim;
import io.belfry.bench.scenario.BenchScenario;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.settings.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs a scenario from its first process to its report. Owner: the main thread. */
public final class ScenarioRun {
    private static final int PROBLEMS_MAX = 20;

    private final BenchOrder order;
    private final PrintWriter out;
    private final List<String> problems = new ArrayList<>();

    public ScenarioRun(BenchOrder order, PrintWriter out) {
        this.order = order;
        this.out = out;
    }

    /** Runs the scenario, writes the report in any case, and returns the exit code. */
    public int run() throws IOException {
        if (order.server().isEmpty() && order.plan().serverTooSmall().isPresent()) {
            throw new BenchFailure(order.plan().serverTooSmall().get());
        }
        Instant started = Instant.now();
        Map<String, String> host = Fingerprint.host();
        List<Run> runs = new ArrayList<>();
        boolean completed = true;
        for (BenchScenario.Round round : order.plan().rounds()) {
            completed = completed && round(round, runs);
        }
        BenchVerdict claim = claim(runs);
        boolean holds = claim == null || claim.level() != BenchVerdict.Level.RED;
        int code = completed && holds && runs.stream().allMatch(ScenarioRun::isWell) ? ExitCode.WELL : ExitCode.FAILED;
        BenchReport report = report(started, host, runs, completed, code);
        Path page = order.report().resolve("report.html");
        ReportFiles.write(report, page);
        new ConsoleSummary(out).print(report, page);
        return code;
    }

    /** Returns false if the measurement did not complete. */
    private boolean round(BenchScenario.Round round, List<Run> runs) throws IOException {
        Path files = Files.createDirectories(
                order.report().resolve("files").resolve(round.name().replaceAll("[^a-z0-9]+", "-")));
        progress(round.sentence().isEmpty() ? round.name() : round.name() + ": " + round.sentence());
        try (RoundRun run = new RoundRun(order, round, files, this::progress)) {
            String failure = run.run();
            if (failure != null) {
                problems.add(failure);
                out.println("bench: " + failure);
            }
            runs.add(run.figures());
            return failure == null;
        }
    }

    private void progress(String line) {
        out.println("  " + line);
    }

    private @Nullable BenchVerdict claim(List<Run> runs) {
        return order.plan().scenario() == BenchScenario.SLOW ? SlowClaim.of(runs) : null;
    }

    /** Stalled readers may be disconnected; they are counted separately. */
    private static boolean isWell(Run run) {
        Run.Delivery delivery = run.delivery();
        return delivery == null
                || (delivery.isWhole() && delivery.of("disconnections") + delivery.of("connectsFailed") == 0);
    }

    private BenchReport report(Instant started, Map<String, String> host, List<Run> runs, boolean completed, int code) {
        runs.stream()
                .flatMap(run -> run.generators().stream())
                .flatMap(each -> each.problems().stream().map(problem -> each.name() + ": " + problem))
                .limit(Math.max(0, PROBLEMS_MAX - problems.size()))
                .forEach(problems::add);
        Optional<String> version = runs.stream()
                .flatMap(run -> Stream.ofNullable(run.server()))
                .flatMap(server -> Stream.ofNullable(server.figures()))
                .map(figures -> figures.path("version").asText())
                .filter(text -> !text.isEmpty())
                .findFirst();
        String name = order.plan().scenario().commandName();
        return new BenchReport(
                BenchReport.FORMAT,
                "scenario",
                name,
                name,
                order.plan().sentence(),
                started.toString(),
                Duration.between(started, Instant.now()).toMillis() / 1e3,
                order.command(),
                code,
                completed,
                problems.stream().distinct().toList(),
                GeneratorAssessment.of(runs, Runtime.getRuntime().availableProcessors()),
                claim(runs),
                Fingerprint.versions(order.home(), version),
                host,
                order.plan().options(),
                runs,
                List.of());
    }
}
