package io.belfry.cluster;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Starts brokers and nodes, and returns when all are ready. */
@Command(name = "up", description = "starts brokers and nodes and waits until all are ready", sortOptions = false)
final class UpCommand implements Callable<Integer> {
    private static final int MAX = 9;
    private static final int IN_ALL_BROKERS = 3;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Belfry nodes (default: ${DEFAULT-VALUE})",
            defaultValue = "3")
    private int nodes = 3;

    @Option(
            names = "--brokers",
            paramLabel = "N",
            description = "Kafka brokers; with 3 each message is on all of them (default: ${DEFAULT-VALUE})",
            defaultValue = "1")
    private int brokers = 1;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "the first node's port, the others' follow; 0 takes free ones (default: ${DEFAULT-VALUE})",
            defaultValue = "8801")
    private int port = 8801;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "sets a key of every node; may be repeated")
    private List<String> sets = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (nodes < 1 || nodes > MAX || (brokers != 1 && brokers != IN_ALL_BROKERS)) {
            throw new ParameterException(spec.commandLine(), "--nodes is 1 to " + MAX + ", --brokers is 1 or 3");
        }
        Path folder = ClusterCommand.folder();
        PrintWriter out = spec.commandLine().getOut();
        if (State.read(folder).isPresent()) {
            spec.commandLine().getErr().println("cluster: one is up already; 'bin/belfry cluster down' ends it");
            return ClusterCommand.FAILED;
        }
        clear(folder);
        out.println("starting " + brokers + " Kafka broker" + (brokers == 1 ? "" : "s"));
        out.flush();
        Brokers started = Brokers.start(ClusterCommand.home(), folder, brokers);
        List<Integer> free = Ports.free(2 * nodes);
        State state = new State(
                folder,
                started.addresses(),
                IntStream.range(0, nodes)
                        .mapToObj(i -> port == 0 ? free.get(i) : port + i)
                        .toList(),
                free.subList(nodes, 2 * nodes),
                started.all().stream().map(Broker::pid).toList());
        // Before the nodes: whatever comes of them, down finds what there is.
        state.write();
        return startNodes(state, out);
    }

    private int startNodes(State state, PrintWriter out) throws IOException, InterruptedException {
        for (int node = 0; node < nodes; node++) {
            Belfry.Result result = new Belfry(ClusterCommand.home()).run(arguments(state, node));
            if (result.exitCode() != 0) {
                spec.commandLine()
                        .getErr()
                        .println("cluster: node " + (node + 1) + " did not start: " + result.output());
                DownCommand.end(state);
                return ClusterCommand.FAILED;
            }
            out.println("node " + (node + 1) + ": ws://127.0.0.1:"
                    + state.ports().get(node) + "/, figures at http://127.0.0.1:"
                    + state.monitorPorts().get(node) + "/metrics");
            out.flush();
        }
        out.println("brokers: " + state.brokerAddresses());
        out.println("'bin/belfry cluster status' looks at it, 'bin/belfry cluster down' ends it");
        return ClusterCommand.WELL;
    }

    private String[] arguments(State state, int node) {
        List<String> arguments = new ArrayList<>(List.of("start", "--name", State.nameOf(node)));
        List<String> all = new ArrayList<>(List.of(
                "Listen=127.0.0.1:" + state.ports().get(node),
                "Memory=256 MB",
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:" + state.monitorPorts().get(node),
                "MonitorHTTP.Authentication=false",
                "LogFolder=" + state.folder().resolve(State.nameOf(node)),
                "ClusterEngine=kafka",
                "Kafka.Brokers=" + state.brokerAddresses(),
                "Kafka.Replication=" + brokers));
        all.addAll(sets);
        for (String set : all) {
            arguments.add("--set");
            arguments.add(set);
        }
        return arguments.toArray(String[]::new);
    }

    /** What an earlier one left. */
    private static void clear(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(
                    Path visited, java.io.@org.jspecify.annotations.Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
