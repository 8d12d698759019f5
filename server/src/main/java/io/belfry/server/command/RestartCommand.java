package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Stops a server if it is running, then starts it. */
@Command(
        name = "restart",
        description = "stops the server if it is running, then starts it with the options given here",
        sortOptions = false)
final class RestartCommand extends ConfiguredCommand {
    @Mixin
    private StopOptions stop = new StopOptions();

    @Mixin
    private StartOptions start = new StartOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        // Load the configuration first, so that an error in it does not stop the running server.
        ServerConfig loaded = options().load().config();
        Instance instance = instance();
        if (new OrderlyStop(instance, stop.timeout(), out(), err()).perform() == Exit.FAILED) {
            return Exit.FAILED;
        }
        return new ServerStart(instance, options(), start.timeout(), out(), err()).start(loaded);
    }
}
