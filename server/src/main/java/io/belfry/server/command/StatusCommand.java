package io.belfry.server.command;

import io.belfry.server.control.ControlRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints whether a server is running, and the state that the server reports. */
@Command(
        name = "status",
        description = "prints the state of the server; exit code 0 if it is running, 3 if not",
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
            out.println("it does not answer: it is starting, stopping or blocked (" + e.getMessage() + ")");
        }
        return Exit.WELL;
    }
}
