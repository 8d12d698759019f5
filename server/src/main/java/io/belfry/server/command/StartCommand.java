package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Starts a server as a daemon. */
@Command(
        name = "start",
        description = "starts the server in the background and waits until it is ready",
        sortOptions = false)
final class StartCommand extends ConfiguredCommand {
    @Mixin
    private StartOptions start = new StartOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        ServerConfig loaded = options().load().config();
        Instance instance = instance();
        if (instance.runs()) {
            out().println(instance.describe() + "; no second one was started");
            return Exit.WELL;
        }
        return Daemon.of(instance, loaded, options(), start.timeout()).start(out(), err());
    }
}
