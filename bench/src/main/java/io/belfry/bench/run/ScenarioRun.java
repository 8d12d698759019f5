package io.belfry.bench.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.bench.report.Judge;
import io.belfry.bench.report.Report;
import io.belfry.bench.report.ReportFiles;
import io.belfry.bench.report.Run;
import io.belfry.bench.report.SlowClaim;
import io.belfry.bench.report.Verdict;
import io.belfry.bench.scenario.Planner;
import io.belfry.bench.scenario.Scenario;
import io.belfry.bench.scenario.Workload;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.run.ExitCode;
import io.belfry.benchkit.run.StopSignal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A scenario from the first process to the report. Owner: the main thread. */
public final class ScenarioRun {
    private final Planner planner;
    private final Place place;
    private final StopSignal stop;
    private final PrintWriter out;
    private final List<String> problems = new ArrayList<>();

    /**
     * Where things are.
     *
     * @param home the folder above {@code bin}
     * @param report for the report and, below it, what the processes write
     * @param server {@code host:port} of one that runs already
     * @param monitor {@code host:port} of its HTTP monitor
     * @param command what the user typed
     */
    public record Place(Path home, Path report, Optional<String> server, Optional<String> monitor, String command) {}

    public ScenarioRun(Planner planner, Place place, StopSignal stop, PrintWriter out) {
        this.planner = planner;
        this.place = place;
        this.stop = stop;
        this.out = out;
    }

    /** Its exit code; the report is written in any case. */
    public int run() throws IOException {
        if (place.server().isEmpty() && planner.serverTooSmall().isPresent()) {
            throw new BenchFailure(planner.serverTooSmall().get());
        }
        Instant started = Instant.now();
        Map<String, String> host = Fingerprint.host();
        List<Run> runs = new ArrayList<>();
        boolean completed = true;
        for (Scenario.Round round : planner.rounds()) {
            completed = completed && round(round, runs);
        }
        Verdict claim = claim(runs);
        boolean shown = claim == null || claim.level() != Verdict.Level.RED;
        int code = completed && shown && runs.stream().allMatch(this::isWell) ? ExitCode.WELL : ExitCode.FAILED;
        Report report = report(started, host, runs, completed, code);
        Path page = place.report().resolve("report.html");
        ReportFiles.write(report, page);
        summary(report, page);
        return code;
    }

    /** False if it did not get to its end. */
    private boolean round(Scenario.Round round, List<Run> runs) throws IOException {
        Path files = Files.createDirectories(
                place.report().resolve("files").resolve(round.name().replaceAll("[^a-z0-9]+", "-")));
        tell(round.sentence().isEmpty() ? round.name() : round.name() + ": " + round.sentence());
        RoundRun.Setting setting = new RoundRun.Setting(planner, place.home(), place.server(), place.monitor(), stop);
        try (RoundRun run = new RoundRun(setting, round, files, this::tell)) {
            String failure = run.run();
            if (failure != null) {
                problems.add(failure);
                out.println("bench: " + failure);
                out.flush();
            }
            runs.add(run.figures());
            return failure == null;
        }
    }

    private void tell(String line) {
        out.println("  " + line);
        out.flush();
    }

    private @Nullable Verdict claim(List<Run> runs) {
        return planner.scenario() == Scenario.SLOW ? SlowClaim.of(runs) : null;
    }

    /** Readers that stall lose their connection; that is what they are for, and they are counted apart. */
    private boolean isWell(Run run) {
        Run.Delivery delivery = run.delivery();
        return delivery == null || (delivery.isWhole() && delivery.disconnections() + delivery.connectsFailed() == 0);
    }

    private Report report(Instant started, Map<String, String> host, List<Run> runs, boolean completed, int code) {
        for (Run run : runs) {
            run.generators()
                    .forEach(each -> each.problems().forEach(problem -> {
                        if (problems.size() < 20) {
                            problems.add(each.name() + ": " + problem);
                        }
                    }));
        }
        Optional<String> version = runs.stream()
                .map(Run::server)
                .filter(Objects::nonNull)
                .map(Run.Server::figures)
                .filter(Objects::nonNull)
                .map(figures -> figures.path("version"))
                .filter(JsonNode::isTextual)
                .map(JsonNode::asText)
                .findFirst();
        return new Report(
                Report.FORMAT,
                "scenario",
                planner.scenario().commandName(),
                planner.scenario().commandName(),
                planner.sentence(),
                started.toString(),
                Duration.between(started, Instant.now()).toMillis() / 1e3,
                place.command(),
                code,
                completed,
                problems.stream().distinct().toList(),
                Judge.of(runs, Runtime.getRuntime().availableProcessors()),
                claim(runs),
                Fingerprint.versions(place.home(), version),
                host,
                options(planner.workload()),
                runs,
                List.of());
    }

    private static Map<String, String> options(Workload workload) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("clients", String.format(Locale.ROOT, "%,d", workload.clients()));
        options.put("subjects", String.format(Locale.ROOT, "%,d", workload.subjects()));
        options.put("rate", String.format(Locale.ROOT, "%,.1f messages/s in", workload.rate()));
        options.put("size", workload.size() + " bytes");
        options.put("burst", Integer.toString(workload.burst()));
        options.put("warm-up", workload.warmUpSeconds() + " s");
        options.put("duration", workload.durationSeconds() + " s");
        options.put("connect rate", workload.connectRate() + " a second");
        options.put("encoding", workload.encoding());
        options.put("transport", workload.transport());
        return options;
    }

    private void summary(Report report, Path page) {
        for (Run run : report.runs()) {
            Summary.lines(run).forEach(out::println);
        }
        if (report.verdict() != null) {
            out.println("  generators: " + report.verdict().level().text() + " - "
                    + report.verdict().sentence());
        }
        if (report.claim() != null) {
            report.claim()
                    .checks()
                    .forEach(check -> out.println("  " + check.level().text() + ": " + check.name() + ", "
                            + check.value() + "; " + check.sentence()));
        }
        out.println("report: " + page + " and " + ReportFiles.jsonBeside(page).getFileName());
        out.flush();
    }
}
