package io.belfry.benchkit.run;

import io.belfry.benchkit.config.BenchKey;
import io.belfry.benchkit.config.BenchOptions;
import io.belfry.benchkit.load.PublisherFleet;
import io.belfry.benchkit.load.PublisherOptions;
import io.belfry.benchkit.load.SubscriberFleet;
import io.belfry.benchkit.load.SubscriberOptions;
import io.belfry.benchkit.measure.ReportLog;
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
    private final Here here;

    private BenchProgram(String name, KeySet keys, ReportLog log, StopSignal stop, Here here) {
        this.name = name;
        this.keys = keys;
        this.log = log;
        this.stop = stop;
        this.here = here;
    }

    public static int benchsub(ReportLog log, StopSignal stop, Map<String, String> environment, String... arguments) {
        return benchsub(Here.look(), log, stop, environment, arguments);
    }

    static int benchsub(
            Here here, ReportLog log, StopSignal stop, Map<String, String> environment, String... arguments) {
        return new BenchProgram("benchsub", BenchKey.benchsub(), log, stop, here)
                .run(environment, arguments, BenchProgram::subscribing);
    }

    public static int benchpub(ReportLog log, StopSignal stop, Map<String, String> environment, String... arguments) {
        return benchpub(Here.look(), log, stop, environment, arguments);
    }

    static int benchpub(
            Here here, ReportLog log, StopSignal stop, Map<String, String> environment, String... arguments) {
        return new BenchProgram("benchpub", BenchKey.benchpub(), log, stop, here)
                .run(environment, arguments, BenchProgram::publishing);
    }

    /** What is made of the options before a loop is opened, so that a mistake costs nothing. */
    private interface Work {
        Role on(List<ClientLoop> loops);
    }

    private static Work subscribing(BenchOptions options) {
        SubscriberOptions subscribers = options.subscribers();
        return loops -> {
            SubscriberFleet fleet = new SubscriberFleet(subscribers, loops);
            return subscribers.holdTime() == null ? new Subscribing(fleet) : new Churning(fleet);
        };
    }

    private static Work publishing(BenchOptions options) {
        PublisherOptions publishers = options.publishers();
        return loops -> new Publishing(new PublisherFleet(publishers, loops), publishers.acknowledged());
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
                options.rampDown(),
                RunOptions.REPORT_INTERVAL,
                settings.path(BenchKey.HISTOGRAM_LOG),
                here.machine());
        ReportFile reportFile = new ReportFile(settings.path(BenchKey.REPORT_FILE), settings);
        List<ClientLoop> loops = openLoops(options);
        try {
            log.info(name + " to " + settings.text(BenchKey.SERVER_ADDRESSES).orElse("") + ": "
                    + settings.text(BenchKey.SUBJECTS).orElse(""));
            return new Conductor(name, run, work.on(loops), log, stop).conduct(reportFile);
        } finally {
            loops.forEach(ClientLoop::close);
        }
    }

    private List<ClientLoop> openLoops(BenchOptions options) {
        List<ClientLoop> loops = new ArrayList<>();
        for (int i = 0; i < options.eventLoops(); i++) {
            loops.add(new ClientLoop(name + "-" + i, options.readBufferBytes(), here.clock()));
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
