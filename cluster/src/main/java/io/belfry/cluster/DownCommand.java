package io.belfry.cluster;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Ends what {@code up} started: the nodes in order, then the brokers. */
@Command(name = "down", description = "ends the nodes and the brokers", sortOptions = false)
final class DownCommand implements Callable<Integer> {
    private static final long BROKER_SECONDS = 10;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Optional<State> state = State.read(ClusterCommand.folder());
        if (state.isEmpty()) {
            spec.commandLine().getErr().println("cluster: none is up");
            return ClusterCommand.NOT_RUNNING;
        }
        end(state.get());
        spec.commandLine().getOut().println("the cluster is down");
        return ClusterCommand.WELL;
    }

    static void end(State state) throws IOException, InterruptedException {
        for (int node = 0; node < state.nodes(); node++) {
            new Belfry(ClusterCommand.home()).run("stop", "--name", State.nameOf(node));
        }
        // All are asked before any is waited for: the last of three would have nobody to hand its work to.
        for (Optional<ProcessHandle> broker : state.brokers()) {
            broker.ifPresent(ProcessHandle::destroy);
        }
        for (Optional<ProcessHandle> broker : state.brokers()) {
            broker.ifPresent(DownCommand::awaitEnd);
        }
        state.delete();
    }

    private static void awaitEnd(ProcessHandle broker) {
        broker.onExit()
                .completeOnTimeout(broker, BROKER_SECONDS, TimeUnit.SECONDS)
                .join();
        if (broker.isAlive()) {
            broker.destroyForcibly();
        }
    }
}
