package io.belfry.attack;

import io.belfry.attack.attacks.Attack;
import io.belfry.attack.attacks.Attacks;
import io.belfry.attack.campaign.Account;
import io.belfry.attack.campaign.Campaign;
import io.belfry.attack.campaign.Verdict;
import io.belfry.attack.server.Order;
import io.belfry.benchkit.run.ExitCode;
import io.belfry.benchkit.run.StopSignal;
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

/** {@code bin/belfry attack}. Owner: the main thread. */
@Command(
        name = "attack",
        description = {
            "Starts a server of its own from a configuration and attacks it, while honest clients use it.",
            "The server is a process on loopback, with listeners on free ports, a temporary folder and secrets of its own;",
            "there is no way to aim it at any other."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "Exit codes: 0 all held, 1 something gave way, 2 wrong usage or configuration"})
final class AttackCommand implements Callable<Integer> {
    private static final int SECONDS = 5;
    private static final int SECONDS_MAX = 3600;
    private static final int P99_MILLIS = 250;

    private final Path home;
    private final StopSignal stop;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "the server's configuration file; without it the defaults hold")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "sets a key above the file and the environment; may be repeated")
    private List<String> sets = new ArrayList<>();

    @Option(names = "--only", paramLabel = "NAME", split = ",", description = "these attacks, and no others")
    private List<String> only = new ArrayList<>();

    @Option(names = "--list", description = "lists the attacks and ends")
    private boolean list;

    @Option(
            names = "--seconds-per-attack",
            paramLabel = "N",
            description = "how long each goes on (default: 5); those that wait for a limit of the server's take longer")
    private int seconds = SECONDS;

    @Option(
            names = "--p99-max",
            paramLabel = "MS",
            description = "what the witness's p99 must stay under (default: 250)")
    private int p99Millis = P99_MILLIS;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "for servers whose tokens are made elsewhere: the first line lets its bearer do everything"
                    + " below /attack")
    private @Nullable Path tokenFile;

    @Option(names = "--json", paramLabel = "FILE", description = "writes the verdicts to a file, too")
    private @Nullable Path json;

    AttackCommand(Path home, StopSignal stop) {
        this.home = home;
        this.stop = stop;
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (list) {
            Attacks.all()
                    .forEach(attack ->
                            out.println(String.format(Locale.ROOT, "%-20s %s", attack.name(), attack.sentence())));
            out.flush();
            return ExitCode.WELL;
        }
        if (seconds < 1 || seconds > SECONDS_MAX || p99Millis < 1) {
            throw new IllegalArgumentException("--seconds-per-attack is 1 to " + SECONDS_MAX + ", --p99-max 1 or more");
        }
        List<Attack> attacks = chosen();
        Order order = new Order(home, Optional.ofNullable(file), sets, token());
        Path folder = Files.createTempDirectory("belfry-attack");
        try {
            Campaign.Terms terms = new Campaign.Terms(Duration.ofSeconds(seconds), p99Millis, folder);
            List<Verdict> verdicts = new Campaign(order, terms, stop, out).fight(attacks);
            return new Account(verdicts, attacks.size()).close(out, Optional.ofNullable(json));
        } finally {
            delete(folder);
        }
    }

    private List<Attack> chosen() {
        List<String> names = Attacks.all().stream().map(Attack::name).toList();
        only.stream().filter(name -> !names.contains(name)).findFirst().ifPresent(unknown -> {
            throw new IllegalArgumentException(unknown + " is no attack; --list has them all");
        });
        return Attacks.all().stream()
                .filter(attack -> only.isEmpty() || only.contains(attack.name()))
                .toList();
    }

    private @Nullable String token() throws IOException {
        if (tokenFile == null) {
            return null;
        }
        return Files.readAllLines(tokenFile).stream().findFirst().orElse("").strip();
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        }
    }
}
