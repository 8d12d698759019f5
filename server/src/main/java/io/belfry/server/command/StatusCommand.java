package io.belfry.server.command;

import io.belfry.server.control.ControlRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Says whether a server runs, and what it says of itself. */
@Command(
        name = "status",
        description = "says how the server is doing; exit code 0 while it runs, 3 while it does not",
        sortOptions = false)
final class StatusCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private InstanceOptions options = new InstanceOptions();

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Instance instance = options.instance();
        out.println(instance.describe());
        if (!instance.runs()) {
            return Exit.NOT_RUNNING;
        }
        try {
            instance.ask(new ControlRequest.Status()).lines().forEach(out::println);
        } catch (IOException e) {
            out.println("it does not answer: it is starting, stopping or stuck (" + e.getMessage() + ")");
        }
        return Exit.WELL;
    }
}
