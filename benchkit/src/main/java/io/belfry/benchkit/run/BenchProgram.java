package io.belfry.benchkit.run;

import io.belfry.benchkit.config.BenchKey;
import io.belfry.benchkit.config.BenchOptions;
import io.belfry.benchkit.load.PublisherFleet;
import io.belfry.benchkit.load.PublisherOptions;
import io.belfry.benchkit.load.SubscriberFleet;
import io.belfry.benchkit.load.SubscriberOptions;
import io.belfry.benchkit.measure.ReportLog;
import io.belfry.benchkit.measure.SharedClock;
import io.belfry.client.connection.ClientLoop;
import io.belfry.settings.ExitCode;
import io.belfry.settings.Key;
import io.belfry.settings.Problem;
import io.belfry.settings.Settings;
import io.belfry.settings.SettingsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * Runs benchpub or benchsub from its arguments to its exit code. Owner: the main thread.
 *
 * @param plan checks the options before any event loop is opened, and makes the role from the loops
 */
public record BenchProgram(String name, Function<BenchOptions, Function<List<ClientLoop>, Role>> plan) {
    /** The subscribing load generator. */
    public static BenchProgram benchsub() {
        return new BenchProgram("benchsub", options -> {
            SubscriberOptions subscribers = options.subscribers();
            return loops -> new Role.Subscribing(new SubscriberFleet(subscribers, loops));
        });
    }

    /** The publishing load generator. */
    public static BenchProgram benchpub() {
        return new BenchProgram("benchpub", options -> {
            PublisherOptions publishers = options.publishers();
            return loops -> new Role.Publishing(new PublisherFleet(publishers, loops));
        });
    }

    /** Runs as the main program of this process, which ends with the exit code. */
    public void main(String... arguments) {
        StopSignal.exitAfter(stop -> run(SharedClock.start(), ReportLog.standard(), stop, System.getenv(), arguments));
    }

    int run(SharedClock clock, ReportLog log, StopSignal stop, Map<String, String> environment, String... arguments) {
        BenchArguments given = new BenchArguments();
        try {
            new CommandLine(given).parseArgs(arguments);
        } catch (ParameterException e) {
            log.error(e.getMessage() + "; see --help");
            return ExitCode.WRONG_USAGE;
        }
        if (given.help) {
            log.info(help());
            return ExitCode.WELL;
        }
        try {
            Settings settings =
                    Settings.load(BenchKey.of(name), Optional.ofNullable(given.file), environment, given.sets);
            BenchOptions options = new BenchOptions(settings);
            return conduct(options, clock, log, stop);
        } catch (SettingsException e) {
            e.problems().stream().map(Problem::toString).forEach(log::error);
            return ExitCode.WRONG_USAGE;
        }
    }

    private int conduct(BenchOptions options, SharedClock clock, ReportLog log, StopSignal stop) {
        Function<List<ClientLoop>, Role> role = plan.apply(options);
        List<ClientLoop> loops = new ArrayList<>();
        for (int i = 0; i < options.eventLoops(); i++) {
            loops.add(new ClientLoop(name + "-" + i, options.readBufferBytes(), clock.nanos()));
        }
        try {
            Settings settings = options.settings();
            log.info(name + " to " + settings.text(BenchKey.SERVER_ADDRESSES).orElse("") + ": "
                    + settings.text(BenchKey.SUBJECTS).orElse(""));
            return new Conductor(name, options, clock.machine(), role.apply(loops), log, stop).conduct();
        } finally {
            loops.forEach(ClientLoop::close);
        }
    }

    private List<String> help() {
        List<String> lines = new ArrayList<>();
        lines.add("usage: " + name + " [-c FILE] [--set KEY=VALUE]...");
        for (Key key : BenchKey.of(name).keys()) {
            String value = key.defaultText().map(text -> " = " + text).orElse("");
            lines.add(key.keyName() + value + "    # " + key.sentence());
        }
        return lines;
    }

    /** The arguments of a load generator. Filled by picocli. */
    private static final class BenchArguments {
        @Option(names = {"-c", "--config"})
        private @Nullable Path file;

        @Option(names = "--set")
        private List<String> sets = new ArrayList<>();

        @Option(names = {"-h", "--help"})
        private boolean help;
    }
}
