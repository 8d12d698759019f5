package io.belfry.cluster;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code bin/belfry cluster up|status|down|warm}. The property {@code belfry.home} is the project's folder. */
@Command(
        name = "cluster",
        description = {
            "Runs a cluster on this machine for tests and experiments: Kafka brokers and Belfry nodes as processes on loopback.",
            "Each 'up' begins with an empty cluster; data of an earlier one is deleted."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        subcommands = {UpCommand.class, ClusterStatusCommand.class, DownCommand.class, WarmBrokersCommand.class},
        footer = {"", "Exit codes: 0 success, 1 failure, 2 wrong usage, 3 not running"})
public final class ClusterCommand {
    static final int SUCCESS = 0;
    static final int FAILED = 1;
    static final int NOT_RUNNING = 3;

    private ClusterCommand() {}

    public static void main(String... arguments) {
        System.exit(line().execute(arguments));
    }

    static CommandLine line() {
        CommandLine line = new CommandLine(new ClusterCommand());
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.setExecutionExceptionHandler((failure, failed, parsed) -> {
            failed.getErr().println("cluster: " + failure.getMessage());
            return FAILED;
        });
        return line;
    }

    static Path home() {
        return Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
    }

    /** Returns the folder of the cluster, next to the run folder of a single server. */
    static Path folder() {
        return Optional.ofNullable(System.getenv("BELFRY_RUN_FOLDER"))
                .filter(folder -> !folder.isBlank())
                .map(Path::of)
                .orElseGet(() -> home().resolve("run"))
                .resolve("cluster")
                .toAbsolutePath();
    }
}
