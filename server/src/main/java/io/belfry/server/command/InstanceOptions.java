package io.belfry.server.command;

import io.belfry.server.control.RunFolder;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Selects one of the servers on this machine. Filled by the command line, then unchanged. */
final class InstanceOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = "belfry",
            description = "selects the server by its name if several run on this host (default: ${DEFAULT-VALUE})")
    private String name = "belfry";

    Instance instance() {
        try {
            return new Instance(new RunFolder(InstallFolder.runFolder(), name));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns the same option for another process. */
    List<String> arguments() {
        return List.of("--name", name);
    }
}
