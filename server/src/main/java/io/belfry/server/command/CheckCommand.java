package io.belfry.server.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Says whether a server would take the configuration, and what it would make of it. */
@Command(
        name = "check",
        description = "checks the configuration and prints the effective one, secrets hidden",
        sortOptions = false)
final class CheckCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() {
        config.load().lines().forEach(spec.commandLine().getOut()::println);
        return Exit.WELL;
    }
}
