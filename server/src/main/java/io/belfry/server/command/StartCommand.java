package io.belfry.server.command;

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
        return new ServerStart(instance(), options(), start.timeout(), out(), err()).start();
    }
}
