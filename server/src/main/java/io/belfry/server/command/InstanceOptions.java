package io.belfry.server.command;

import io.belfry.server.control.RunFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which of the servers of this machine is meant. Filled by the command line, then unchanged. */
final class InstanceOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = "belfry",
            description = "which server is meant where several run (default: ${DEFAULT-VALUE})")
    private String name = "belfry";

    Instance instance() {
        try {
            return new Instance(new RunFolder(path(), name));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private static Path path() {
        return Optional.ofNullable(System.getenv("BELFRY_RUN_FOLDER"))
                .filter(folder -> !folder.isBlank())
                .map(Path::of)
                .orElseGet(() -> Home.folder().resolve("run"));
    }

    /** The same option for another process. */
    List<String> arguments() {
        return List.of("--name", name);
    }
}
