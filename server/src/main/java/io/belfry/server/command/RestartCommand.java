package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Stops a server if it runs, and starts it. */
@Command(
        name = "restart",
        description = "stops the server if it runs, and starts it with the options given here",
        sortOptions = false)
final class RestartCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Mixin
    private InstanceOptions options = new InstanceOptions();

    @Mixin
    private StopOptions stop = new StopOptions();

    @Mixin
    private StartOptions start = new StartOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        // First, so that a mistake in the configuration does not cost the server that runs.
        ServerConfig loaded = config.load().config();
        Instance instance = options.instance();
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        if (new OrderlyStop(instance, stop.patience(), out, err).perform() == Exit.FAILED) {
            return Exit.FAILED;
        }
        return Daemon.of(instance, loaded, config, start.patience()).start(out, err);
    }
}
