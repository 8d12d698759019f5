package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * Prints the server's JVM options, one per line, for bin/belfry. The JVM needs its heap size before it can read the
 * configuration.
 */
@Command(name = "jvm-options", hidden = true)
final class JvmOptionsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    /** Accepts and ignores the options of the following command; that command validates them. */
    @Unmatched
    @SuppressWarnings("UnusedVariable") // the field only makes picocli accept unknown options
    private List<String> others = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return print(config, spec.commandLine().getOut(), spec.commandLine().getErr());
    }

    /** Prints the options; records the AOT cache before if it is missing. */
    static int print(ConfigOptions config, PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        ServerConfig loaded = config.load().config();
        AotRecorder.prepare(InstallFolder.path(), System.getenv(), err);
        new JvmOptions(InstallFolder.path(), System.getenv()).of(loaded).forEach(out::println);
        return Exit.WELL;
    }
}
