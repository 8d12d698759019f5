package io.belfry.server.command;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Stops a running server. */
@Command(
        name = "stop",
        description = "stops the server and waits until it has ended; exit code 3 if it was not running",
        sortOptions = false)
final class StopCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private InstanceOptions options = new InstanceOptions();

    @Mixin
    private StopOptions stop = new StopOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return new OrderlyStop(
                        options.instance(),
                        stop.timeout(),
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr())
                .perform();
    }
}
