package io.belfry.server.command;

import io.belfry.server.control.ControlRequest;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Makes a running server read its configuration again. */
@Command(
        name = "reload",
        description = "makes the server read its configuration again; prints what changed and what needs a restart",
        sortOptions = false)
final class ReloadCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private InstanceOptions options = new InstanceOptions();

    @Override
    public Integer call() throws IOException {
        return options.instance()
                .tell(
                        new ControlRequest.Reload(),
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr());
    }
}
