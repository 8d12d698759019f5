package io.belfry.server.command;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a server in this process until it is stopped. */
@Command(
        name = "run",
        description = "runs the server in the foreground; SIGTERM or Ctrl-C stops it, SIGHUP reloads the configuration",
        sortOptions = false)
final class RunCommand extends ConfiguredCommand {
    private final ServerLauncher launcher;

    @Option(names = "--daemon", hidden = true, description = "writes the log to the file only")
    private boolean daemon;

    RunCommand(ServerLauncher launcher) {
        this.launcher = launcher;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        return new ServerRun(launcher, instance(), options(), daemon, err()).run();
    }
}
