package io.belfry.bench.run;

import io.belfry.bench.report.BenchReport;
import io.belfry.bench.report.BenchVerdict;
import io.belfry.bench.report.GeneratorAssessment;
import io.belfry.bench.report.ReportFiles;
import io.belfry.bench.report.Run;
import io.belfry.bench.report.SlowClaim;
import io.belfry.bench.scenario.BenchPlan;
import io.belfry.bench.scenario.BenchScenario;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.measure.Require;
import io.belfry.benchkit.run.StopSignal;
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

/**
 * Runs a scenario from its first process to its report. Owner: the main thread.
 *
 * @param home the folder that contains {@code bin}
 * @param folder folder for the report and, in a subfolder, the files of the processes
 * @param server {@code host:port} of a running server; empty: each measurement starts its own
 * @param monitor {@code host:port} of that server's HTTP monitor
 * @param command the command as typed by the user
 */
public record ScenarioRun(
        BenchPlan plan,
        Path home,
        Path folder,
        Optional<String> server,
        Optional<String> monitor,
        String command,
        StopSignal stop,
        PrintWriter out) {
    private static final int PROBLEMS_MAX = 20;

    /** Runs the scenario, writes the report in any case, and returns the exit code. */
    public int run() throws IOException {
        Require.that(
                server.isEmpty() || plan.serverPrefix().isEmpty(),
                "--server-cpus is for the server that bench starts, not for that of --server");
        if (server.isEmpty() && plan.serverTooSmall().isPresent()) {
            throw new BenchFailure(plan.serverTooSmall().get());
        }
        Instant started = Instant.now();
        Map<String, String> host = Fingerprint.host();
        List<Run> runs = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        for (BenchScenario.Round round : plan.rounds()) {
            if (failures.isEmpty()) {
                run(round, runs, failures);
            }
        }
        BenchReport report = report(started, host, runs, failures);
        Path page = folder.resolve("report.html");
        ReportFiles.write(report, page);
        new ConsoleSummary(out).print(report, page);
        return report.execution().exitCode();
    }

    /** Runs one measurement and adds its figures and, if it did not complete, the failure. */
    private void run(BenchScenario.Round round, List<Run> runs, List<String> failures) throws IOException {
        Path files = Files.createDirectories(
                folder.resolve("files").resolve(round.name().replaceAll("[^a-z0-9]+", "-")));
        progress(round.sentence().isEmpty() ? round.name() : round.name() + ": " + round.sentence());
        try (RoundRun run = new RoundRun(this, round, files)) {
            String failure = run.run();
            if (failure != null) {
                failures.add(failure);
                out.println("bench: " + failure);
            }
            runs.add(run.figures());
        }
    }

    /** Prints a line for the user. */
    void progress(String line) {
        out.println("  " + line);
    }

    /** Stalled readers may be disconnected; they are counted separately. */
    private static boolean isWell(Run run) {
        Run.Delivery delivery = run.traffic().delivery();
        return delivery == null
                || (delivery.isWhole() && delivery.of("disconnections") + delivery.of("connectsFailed") == 0);
    }

    private BenchReport report(Instant started, Map<String, String> host, List<Run> runs, List<String> failures) {
        BenchVerdict claim = plan.scenario() == BenchScenario.SLOW ? SlowClaim.of(runs) : null;
        boolean holds = claim == null || claim.level() != BenchVerdict.Level.RED;
        boolean well = failures.isEmpty() && holds && runs.stream().allMatch(ScenarioRun::isWell);
        Stream<String> ofGenerators = runs.stream()
                .flatMap(run -> run.generators().stream())
                .flatMap(each -> each.problems().stream().map(problem -> each.name() + ": " + problem));
        List<String> problems = Stream.concat(failures.stream(), ofGenerators)
                .limit(PROBLEMS_MAX)
                .distinct()
                .toList();
        Optional<String> version = runs.stream()
                .flatMap(run -> Stream.ofNullable(run.observed().server()))
                .flatMap(each -> Stream.ofNullable(each.figures()))
                .map(figures -> figures.path("version").asText())
                .filter(text -> !text.isEmpty())
                .findFirst();
        String name = plan.scenario().commandName();
        BenchReport.Execution execution = new BenchReport.Execution(
                started.toString(),
                Duration.between(started, Instant.now()).toMillis() / 1e3,
                command,
                well ? ExitCode.WELL : ExitCode.FAILED,
                failures.isEmpty(),
                problems);
        return new BenchReport(
                BenchReport.FORMAT,
                "scenario",
                new BenchReport.Heading(name, name, plan.sentence()),
                execution,
                GeneratorAssessment.of(runs, Runtime.getRuntime().availableProcessors()),
                claim,
                new BenchReport.Setup(Fingerprint.versions(home, version), host, plan.options()),
                runs,
                List.of());
    }
}
