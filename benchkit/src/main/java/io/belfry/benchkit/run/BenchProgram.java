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
import io.belfry.settings.Key;
import io.belfry.settings.KeySet;
import io.belfry.settings.Problem;
import io.belfry.settings.Settings;
import io.belfry.settings.SettingsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** benchpub and benchsub, from arguments to exit code. Owner: the main thread. */
public final class BenchProgram {
    private final String name;
    private final KeySet keys;
    private final ReportLog log;
    private final StopSignal stop;

    private BenchProgram(String name, KeySet keys, ReportLog log, StopSignal stop) {
        this.name = name;
        this.keys = keys;
        this.log = log;
        this.stop = stop;
    }

    public static int benchsub(ReportLog log, StopSignal stop, Map<String, String> environment, String... arguments) {
        return new BenchProgram("benchsub", BenchKey.benchsub(), log, stop)
                .run(environment, arguments, BenchProgram::subscribing);
    }

    public static int benchpub(ReportLog log, StopSignal stop, Map<String, String> environment, String... arguments) {
        return new BenchProgram("benchpub", BenchKey.benchpub(), log, stop)
                .run(environment, arguments, BenchProgram::publishing);
    }

    /** What is made of the options before a loop is opened, so that a mistake costs nothing. */
    private interface Work {
        Role on(List<ClientLoop> loops);
    }

    private static Work subscribing(BenchOptions options) {
        SubscriberOptions subscribers = options.subscribers();
        return loops -> new Role.Subscribing(new SubscriberFleet(subscribers, loops), subscribers.verify());
    }

    private static Work publishing(BenchOptions options) {
        PublisherOptions publishers = options.publishers();
        return loops -> new Role.Publishing(new PublisherFleet(publishers, loops), publishers.acknowledged());
    }

    private int run(Map<String, String> environment, String[] arguments, Function<BenchOptions, Work> plan) {
        CommandLine commandLine;
        try {
            commandLine = CommandLine.parse(arguments);
        } catch (IllegalArgumentException e) {
            log.error(String.valueOf(e.getMessage()));
            return ExitCode.WRONG_USAGE;
        }
        if (commandLine.help()) {
            help();
            return ExitCode.WELL;
        }
        try {
            Settings settings = Settings.load(keys, commandLine.file(), environment, commandLine.sets());
            BenchOptions options = new BenchOptions(settings);
            return conduct(settings, options, plan.apply(options));
        } catch (SettingsException e) {
            e.problems().stream().map(Problem::toString).forEach(log::error);
            return ExitCode.WRONG_USAGE;
        }
    }

    private int conduct(Settings settings, BenchOptions options, Work work) {
        RunOptions run = new RunOptions(
                options.warmUp(),
                options.duration(),
                RunOptions.REPORT_INTERVAL,
                settings.path(BenchKey.HISTOGRAM_LOG),
                settings.path(BenchKey.REPORT_FILE));
        List<ClientLoop> loops = openLoops(options);
        try {
            log.info(name + " to " + settings.text(BenchKey.SERVER_ADDRESSES).orElse("") + ": "
                    + settings.text(BenchKey.SUBJECTS).orElse(""));
            return new Conductor(name, run, work.on(loops), log, stop).conduct(settings);
        } finally {
            loops.forEach(ClientLoop::close);
        }
    }

    private List<ClientLoop> openLoops(BenchOptions options) {
        SharedClock clock = SharedClock.start();
        List<ClientLoop> loops = new ArrayList<>();
        for (int i = 0; i < options.eventLoops(); i++) {
            loops.add(new ClientLoop(name + "-" + i, options.readBufferBytes(), clock));
        }
        return loops;
    }

    private void help() {
        List<String> lines = new ArrayList<>();
        lines.add("usage: " + name + " [-c FILE] [--set KEY=VALUE]...");
        for (Key key : keys.keys()) {
            lines.add(
                    key.keyName() + key.defaultText().map(text -> " = " + text).orElse("") + "    # " + key.sentence());
        }
        log.info(lines);
    }
}
