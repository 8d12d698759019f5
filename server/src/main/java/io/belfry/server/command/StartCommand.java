package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Starts a server as a daemon. */
@Command(
        name = "start",
        description = "starts the server in the background and waits until it is ready",
        sortOptions = false)
final class StartCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Mixin
    private InstanceOptions options = new InstanceOptions();

    @Mixin
    private StartOptions start = new StartOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        ServerConfig loaded = config.load().config();
        Instance instance = options.instance();
        if (instance.runs()) {
            spec.commandLine().getOut().println(instance.describe() + " already");
            return Exit.WELL;
        }
        return Daemon.of(instance, loaded, config, start.patience())
                .start(spec.commandLine().getOut(), spec.commandLine().getErr());
    }
}
