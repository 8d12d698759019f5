package io.belfry.cluster;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Stops what {@code up} started: first the nodes, then the brokers. */
@Command(
        name = "down",
        description = "stops the nodes and the brokers",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class DownCommand implements Callable<Integer> {
    private static final long BROKER_SECONDS = 10;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Optional<ClusterState> state = ClusterState.read(ClusterCommand.folder());
        if (state.isEmpty()) {
            spec.commandLine().getErr().println("cluster: no cluster is running");
            return ClusterCommand.NOT_RUNNING;
        }
        end(state.get());
        spec.commandLine().getOut().println("the cluster is stopped");
        return ClusterCommand.SUCCESS;
    }

    static void end(ClusterState state) throws IOException, InterruptedException {
        for (int node = 0; node < state.nodes(); node++) {
            new BelfryScript(ClusterCommand.home()).run("stop", "--name", ClusterState.nameOf(node));
        }
        // All brokers are asked to stop before the first is waited for: the last one could not hand over its
        // partitions.
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
