package io.belfry.bench;

import io.belfry.bench.run.ScenarioRun;
import io.belfry.bench.sample.Kernel;
import io.belfry.bench.scenario.Planner;
import io.belfry.bench.scenario.Scenario;
import io.belfry.bench.scenario.Workload;
import io.belfry.benchkit.run.ExitCode;
import io.belfry.benchkit.run.StopSignal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bin/bench SCENARIO}. Owner: the main thread. */
@Command(
        name = "bench",
        description = "Runs a server, its subscribers and a publisher, and writes one report.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Without a scenario it lists them. Ctrl-C ends a run early; the figures so far are written.",
            "Exit codes: 0 well, 1 failed or something was lost, 2 wrong usage"
        })
final class BenchCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);
    private static final Pattern SECRET = Pattern.compile("(?i)^(.*(?:token|password)[^=]*=).+$");
    private static final long OPEN_FILES_UNKNOWN = 4096;

    private final Path home;
    private final StopSignal stop;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "SCENARIO", arity = "0..1", description = "what to run")
    private @Nullable String scenarioName;

    @Option(names = "--clients", paramLabel = "N", description = "subscribers; users of rooms")
    private @Nullable Integer clients;

    @Option(names = "--rate", paramLabel = "N", description = "messages published a second; 0 = none")
    private @Nullable Double rate;

    @Option(names = "--size", paramLabel = "BYTES", description = "of each message's data")
    private @Nullable Integer size;

    @Option(names = "--subjects", paramLabel = "N", description = "how many there are")
    private @Nullable Integer subjects;

    @Option(names = "--rooms", paramLabel = "N", description = "the same, for rooms")
    private @Nullable Integer rooms;

    @Option(names = "--burst", paramLabel = "N", description = "messages meant for the same moment; the rate stays")
    private @Nullable Integer burst;

    @Option(names = "--duration", paramLabel = "TIME", description = "of the measurement, such as 30s or 2m")
    private @Nullable String duration;

    @Option(names = "--warm-up", paramLabel = "TIME", description = "before it, left out of the latencies")
    private @Nullable String warmUp;

    @Option(names = "--connect-rate", paramLabel = "N", description = "connections begun a second")
    private @Nullable Integer connectRate;

    @Option(names = "--hold", paramLabel = "TIME", description = "churn: such as '1 s +-10 %%'")
    private @Nullable String hold;

    @Option(names = "--ramp", paramLabel = "TIME", description = "churn: up and down again, each")
    private @Nullable String ramp;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            description = "slow: what the server does with slow readers: disconnect, drop or conflate")
    private @Nullable String policy;

    @Option(names = "--pairs", paramLabel = "N", description = "slow: how often both runs are compared")
    private @Nullable Integer pairs;

    @Option(names = "--encoding", paramLabel = "NAME", description = "binary or json")
    private @Nullable String encoding;

    @Option(names = "--transport", paramLabel = "NAME", description = "websocket, http-stream or sse")
    private @Nullable String transport;

    @Option(names = "--server", paramLabel = "HOST:PORT", description = "a server that runs already")
    private @Nullable String server;

    @Option(names = "--monitor", paramLabel = "HOST:PORT", description = "its HTTP monitor, without a password")
    private @Nullable String monitor;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "its first line is what the publisher is let in with")
    private @Nullable Path tokenFile;

    @Option(
            names = "--token",
            paramLabel = "TEXT",
            description = "the same, for tests: every user of this machine can read it here")
    private @Nullable String token;

    @Option(names = "--server-set", paramLabel = "KEY=VALUE", description = "a key of the server under test")
    private List<String> serverSettings = new ArrayList<>();

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "for the report (default: bench-reports/SCENARIO-TIME)")
    private @Nullable Path folder;

    BenchCommand(Path home, StopSignal stop) {
        this.home = home;
        this.stop = stop;
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (scenarioName == null) {
            list(out);
            return ExitCode.WRONG_USAGE;
        }
        String name = scenarioName;
        Scenario scenario = Scenario.named(name)
                .orElseThrow(() -> new IllegalArgumentException(
                        name + " is no scenario; there are fanout, unicast," + " churn, rooms and slow"));
        Planner planner =
                new Planner(scenario, workload(scenario), Kernel.openFilesMax().orElse(OPEN_FILES_UNKNOWN));
        Path report = (folder == null
                        ? Path.of(
                                "bench-reports",
                                scenario.commandName() + "-" + TIME.format(LocalDateTime.now(ZoneId.systemDefault())))
                        : folder)
                .toAbsolutePath()
                .normalize();
        ScenarioRun.Place place = new ScenarioRun.Place(
                home, report, Optional.ofNullable(server), Optional.ofNullable(monitor), commandLine());
        return new ScenarioRun(planner, place, stop, out).run();
    }

    private static void list(PrintWriter out) {
        out.println("usage: bench SCENARIO [OPTION]...; bench --help lists the options");
        out.println();
        for (Scenario scenario : Scenario.values()) {
            out.println(String.format(Locale.ROOT, "  %-9s%s", scenario.commandName(), scenario.sentence()));
        }
        out.flush();
    }

    private Workload workload(Scenario scenario) {
        Workload plan = scenario.defaults();
        if (clients != null) {
            plan = scenario == Scenario.UNICAST
                    ? plan.withClients(clients).withSubjects(clients).withRate(clients / 60.0)
                    : plan.withClients(clients);
        }
        Integer places = rooms == null ? subjects : rooms;
        plan = places == null ? plan : plan.withSubjects(places);
        plan = rate == null ? plan : plan.withRate(rate);
        plan = size == null ? plan : plan.withSize(size);
        plan = burst == null ? plan : plan.withBurst(burst);
        plan = pairs == null ? plan : plan.withPairs(pairs);
        plan = connectRate == null ? plan : plan.withConnectRate(connectRate);
        plan = duration == null ? plan : plan.withDurationSeconds(Times.seconds("--duration", duration));
        plan = warmUp == null ? plan : plan.withWarmUpSeconds(Times.seconds("--warm-up", warmUp));
        plan = plan.holding(
                hold == null ? plan.holdTime() : hold,
                ramp == null ? plan.rampSeconds() : Times.seconds("--ramp", ramp));
        plan = plan.speaking(
                encoding == null ? plan.encoding() : encoding, transport == null ? plan.transport() : transport);
        List<String> settings = new ArrayList<>();
        if (policy != null) {
            settings.add("SlowConsumer=" + policy);
        }
        settings.addAll(serverSettings);
        return plan.towards(token(), settings);
    }

    private Optional<String> token() {
        if (tokenFile == null) {
            return Optional.ofNullable(token);
        }
        try (Stream<String> lines = Files.lines(tokenFile)) {
            return Optional.of(lines.findFirst().orElse("").strip());
        } catch (IOException | UncheckedIOException e) {
            throw new IllegalArgumentException("--token-file: " + tokenFile + " cannot be read");
        }
    }

    /** As it was typed, but for what is secret. */
    private String commandLine() {
        List<String> words = new ArrayList<>(List.of("bin/bench"));
        boolean secret = false;
        for (String word : spec.commandLine().getParseResult().originalArgs()) {
            String shown = secret ? "(hidden)" : SECRET.matcher(word).replaceFirst("$1(hidden)");
            words.add(shown.indexOf(' ') < 0 ? shown : "'" + shown + "'");
            secret = word.equals("--token");
        }
        return String.join(" ", words);
    }
}
