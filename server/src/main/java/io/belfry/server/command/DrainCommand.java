package io.belfry.server.command;

import io.belfry.server.control.ControlRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Asks a running server to disconnect its sessions, spread over time so that they do not reconnect all at once. */
@Command(
        name = "drain",
        description = "refuses new connections, disconnects the sessions over a time; 'status' shows how many remain",
        sortOptions = false)
final class DrainCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private InstanceOptions options = new InstanceOptions();

    @Option(
            names = "--over",
            paramLabel = "TIME",
            defaultValue = "2m",
            converter = TimeConverter.class,
            description = "disconnects the sessions within this time, such as 30s or 2m (default: ${DEFAULT-VALUE})")
    private Duration over = Duration.ofMinutes(2);

    @Override
    public Integer call() throws IOException {
        return options.instance()
                .askAndPrint(
                        new ControlRequest.Drain(over),
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr());
    }
}
