package io.belfry.cluster;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code bin/belfry cluster up|status|down}; the property {@code belfry.home} is the folder above bin. */
@Command(
        name = "cluster",
        description = {
            "A whole cluster on this machine, for trying: Kafka brokers and Belfry nodes, each a process of its own on loopback.",
            "What it keeps is for trying too: every 'up' begins with nothing."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        subcommands = {UpCommand.class, StatusCommand.class, DownCommand.class},
        footer = {"", "Exit codes: 0 well, 1 failed, 2 wrong usage, 3 not running"})
public final class ClusterCommand {
    static final int WELL = 0;
    static final int FAILED = 1;
    static final int NOT_RUNNING = 3;

    private ClusterCommand() {}

    public static void main(String... arguments) {
        CommandLine line = new CommandLine(new ClusterCommand());
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.setExecutionExceptionHandler((failure, failed, parsed) -> {
            failed.getErr().println("cluster: " + failure.getMessage());
            return FAILED;
        });
        System.exit(line.execute(arguments));
    }

    static Path home() {
        return Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
    }

    /** Beside what a single server keeps while it runs. */
    static Path folder() {
        return Optional.ofNullable(System.getenv("BELFRY_RUN_FOLDER"))
                .filter(folder -> !folder.isBlank())
                .map(Path::of)
                .orElseGet(() -> home().resolve("run"))
                .resolve("cluster")
                .toAbsolutePath();
    }
}
