package io.belfry.attack;

import io.belfry.attack.attacks.Attack;
import io.belfry.attack.run.AttackOptions;
import io.belfry.attack.run.AttackReport;
import io.belfry.attack.run.AttackRunner;
import io.belfry.benchkit.measure.Require;
import io.belfry.benchkit.run.CommandLines;
import io.belfry.benchkit.run.StopSignal;
import io.belfry.settings.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The program and command {@code bin/belfry attack}; the property {@code belfry.home} is the folder that contains bin.
 * Owner: the main thread.
 */
@Command(
        name = "attack",
        description = {
            "Starts a server from a configuration and attacks it while regular clients use it.",
            "The server is a process on loopback with free ports, a temporary folder and generated secrets.",
            "No other server can be attacked."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "Exit codes: 0 all held, 1 an attack succeeded or did not run, 2 invalid option or configuration"
        })
public final class AttackMain implements Callable<Integer> {
    private static final int SECONDS_MAX = 3600;

    private final Path home;
    private final StopSignal stop;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "configuration file of the server (default: the server's defaults)")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "overrides a key of the file and the environment; may be repeated")
    private List<String> sets = new ArrayList<>();

    @Option(names = "--only", paramLabel = "NAME", split = ",", description = "runs only these attacks")
    private List<String> only = new ArrayList<>();

    @Option(names = "--list", description = "lists the attacks and exits")
    private boolean list;

    @Option(
            names = "--seconds-per-attack",
            paramLabel = "N",
            defaultValue = "5",
            description =
                    "duration of each attack (default: 5); attacks that wait for a time limit of the server take longer")
    private int seconds;

    @Option(
            names = "--p99-max",
            paramLabel = "MS",
            defaultValue = "250",
            description = "maximum p99 delivery latency of the regular clients (default: 250)")
    private int p99Millis;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "for Custom, and for JWT with your keys: the first line is a token that allows everything below /attack")
    private @Nullable Path tokenFile;

    @Option(names = "--json", paramLabel = "FILE", description = "also writes the results to a file")
    private @Nullable Path json;

    private AttackMain(Path home, StopSignal stop) {
        this.home = home;
        this.stop = stop;
    }

    /** Runs the command and ends the process with its exit code. */
    public static void main(String... arguments) {
        Path home = Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
        StopSignal.exitAfter(stop -> CommandLines.of(new AttackMain(home, stop)).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (list) {
            Attack.ALL.forEach(each -> out.printf(Locale.ROOT, "%-20s %s%n", each.name(), each.description()));
            out.flush();
            return ExitCode.WELL;
        }
        Require.that(seconds >= 1 && seconds <= SECONDS_MAX, "--seconds-per-attack must be 1 to 3600, not " + seconds);
        Require.that(p99Millis >= 1, "--p99-max must be 1 or more, not " + p99Millis);
        List<String> names = Attack.ALL.stream().map(Attack::name).toList();
        only.forEach(name -> Require.that(names.contains(name), name + " is no attack; --list prints all attacks"));
        List<Attack> attacks = Attack.ALL.stream()
                .filter(attack -> only.isEmpty() || only.contains(attack.name()))
                .toList();
        Require.that(file == null || Files.isReadable(file), file + " does not exist");
        @Nullable String token = tokenFile == null ? null : CommandLines.token(tokenFile);
        Path folder = Files.createTempDirectory("belfry-attack");
        try {
            AttackOptions options = new AttackOptions(
                    home,
                    Optional.ofNullable(file),
                    sets,
                    token,
                    Duration.ofSeconds(seconds),
                    p99Millis,
                    AttackOptions.RELEASE_MAX,
                    folder);
            AttackReport report = new AttackReport(new AttackRunner(options, stop, out).run(attacks), attacks.size());
            if (json != null) {
                report.write(json);
            }
            out.println();
            out.println(report.summary());
            out.flush();
            return report.passed() ? ExitCode.WELL : ExitCode.FAILED;
        } finally {
            delete(folder);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        }
    }
}
