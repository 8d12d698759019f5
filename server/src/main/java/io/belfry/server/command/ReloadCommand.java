package io.belfry.server.command;

import io.belfry.server.control.ControlRequest;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Asks a running server to read its configuration again. */
@Command(
        name = "reload",
        description = "reloads the configuration; prints the changed keys and those that need a restart to take effect",
        sortOptions = false)
final class ReloadCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private InstanceOptions options = new InstanceOptions();

    @Override
    public Integer call() throws IOException {
        return options.instance()
                .askAndPrint(
                        new ControlRequest.Reload(),
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr());
    }
}
