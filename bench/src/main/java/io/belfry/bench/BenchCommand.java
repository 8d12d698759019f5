package io.belfry.bench;

import io.belfry.bench.run.ScenarioRun;
import io.belfry.bench.scenario.BenchPlan;
import io.belfry.bench.scenario.BenchScenario;
import io.belfry.bench.scenario.BenchWorkload;
import io.belfry.benchkit.measure.Texts;
import io.belfry.benchkit.process.Kernel;
import io.belfry.benchkit.run.CommandLines;
import io.belfry.benchkit.run.StopSignal;
import io.belfry.settings.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code bin/bench SCENARIO}. Owner: the main thread. */
@Command(
        name = "bench",
        description = "Runs a server, its subscribers and a publisher, and writes one report.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Without a scenario, bench lists the scenarios. Ctrl-C ends a run early and writes the figures so far.",
            "Exit codes: 0 no faults, 1 a failure or a lost message, 2 wrong usage"
        })
public final class BenchCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);
    private static final Pattern SECRET = Pattern.compile("(?i)^(.*(?:token|password|secret|custom\\.)[^=]*=).+$");
    private static final long OPEN_FILES_DEFAULT = 4096;

    private final Path home;
    private final StopSignal stop;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "SCENARIO", arity = "0..1", description = "the scenario to run")
    private @Nullable String scenarioName;

    /** Parsed here for the help and the errors; the values of a run are parsed again over the scenario's defaults. */
    @Mixin
    private BenchWorkload options = new BenchWorkload();

    @Option(names = "--server", paramLabel = "HOST:PORT", description = "address of a running server to use")
    private @Nullable String server;

    @Option(
            names = "--monitor",
            paramLabel = "HOST:PORT",
            description = "address of that server's HTTP monitor, which must need no password")
    private @Nullable String monitor;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "file whose first line is the token of the publisher")
    private @Nullable Path tokenFile;

    @Option(
            names = "--token",
            paramLabel = "TEXT",
            description = "token of the publisher, for tests: every user of this machine can read it")
    private @Nullable String token;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "folder for the report (default: bench-reports/SCENARIO-TIME)")
    private @Nullable Path folder;

    /** Main program of {@code bin/bench}; the property {@code belfry.home} is the folder that contains bin. */
    public static void main(String... arguments) {
        Path home = Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
        StopSignal.exitAfter(
                stop -> CommandLines.of(new BenchCommand(home, stop)).execute(arguments));
    }

    private BenchCommand(Path home, StopSignal stop) {
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
        BenchScenario scenario = BenchScenario.named(scenarioName);
        BenchPlan plan = new BenchPlan(
                scenario, workload(scenario), Kernel.openFilesMax().orElse(OPEN_FILES_DEFAULT));
        String time = TIME.format(LocalDateTime.now(ZoneId.systemDefault()));
        Path report = folder == null ? Path.of("bench-reports", scenario.commandName() + "-" + time) : folder;
        ScenarioRun run = new ScenarioRun(
                plan,
                home,
                report.toAbsolutePath().normalize(),
                Optional.ofNullable(server),
                Optional.ofNullable(monitor),
                commandLine(spec.commandLine().getParseResult().originalArgs()),
                stop,
                out);
        return run.run();
    }

    private static void list(PrintWriter out) {
        out.println("usage: bench SCENARIO [OPTION]...; bench --help lists the options");
        out.println();
        for (BenchScenario scenario : BenchScenario.values()) {
            out.println(Texts.format("  %-9s%s", scenario.commandName(), scenario.sentence()));
        }
    }

    /** Parses the workload options over the defaults of the scenario. */
    private BenchWorkload workload(BenchScenario scenario) {
        CommandLine.ParseResult given = spec.commandLine().getParseResult();
        BenchWorkload workload =
                given.hasMatchedOption("--clients") ? scenario.defaults(options.clients) : scenario.defaults();
        new CommandLine(workload)
                .setUnmatchedArgumentsAllowed(true)
                .parseArgs(given.originalArgs().toArray(String[]::new));
        workload.token = token();
        workload.check();
        return workload;
    }

    private Optional<String> token() {
        return tokenFile == null ? Optional.ofNullable(token) : Optional.of(CommandLines.token(tokenFile));
    }

    /** The command as typed with these words, without secrets. */
    static String commandLine(List<String> words) {
        List<String> shown = new ArrayList<>(List.of("bin/bench"));
        boolean secret = false;
        for (String word : words) {
            String text = secret ? "(hidden)" : SECRET.matcher(word).replaceFirst("$1(hidden)");
            shown.add(text.indexOf(' ') < 0 ? text : "'" + text + "'");
            secret = word.equals("--token");
        }
        return String.join(" ", shown);
    }
}
