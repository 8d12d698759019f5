package io.belfry.server.command;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * Prints the server's JVM options one per line, for bin/belfry: a JVM has to know its heap before it can read the
 * configuration.
 */
@Command(name = "jvm-options", hidden = true)
final class JvmOptionsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    /** It is given the options of the command that follows, which has the judgement over them. */
    @Unmatched
    @SuppressWarnings("UnusedVariable") // to be there is its whole purpose
    private List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        new JvmOptions(Home.folder(), System.getenv())
                .of(config.load().config())
                .forEach(option -> spec.commandLine().getOut().println(option));
        return Exit.WELL;
    }
}
