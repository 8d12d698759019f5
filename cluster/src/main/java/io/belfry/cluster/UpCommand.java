package io.belfry.cluster;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Starts brokers and nodes, and returns when all are ready. */
@Command(
        name = "up",
        description = "starts brokers and nodes and waits until all are ready",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class UpCommand implements Callable<Integer> {
    private static final int MAX = 9;
    private static final int REPLICATED_BROKERS = 3;

    /** The settings may contain secrets. */
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "number of Belfry nodes (default: ${DEFAULT-VALUE})",
            defaultValue = "3")
    private int nodes = 3;

    @Option(
            names = "--brokers",
            paramLabel = "N",
            description =
                    "number of Kafka brokers, 1 or 3; with 3 every broker stores each message (default: ${DEFAULT-VALUE})",
            defaultValue = "1")
    private int brokers = 1;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = {
                "port of the first node, for clients; the other nodes use the next ports (default: ${DEFAULT-VALUE})",
                "0 uses free ports. Monitors and brokers always use free ports, which 'up' prints"
            },
            defaultValue = "8801")
    private int port = 8801;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "sets a configuration key of every node; may be repeated")
    private Map<String, String> sets = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (nodes < 1 || nodes > MAX || (brokers != 1 && brokers != REPLICATED_BROKERS)) {
            throw new ParameterException(
                    spec.commandLine(), "--nodes must be 1 to " + MAX + ", --brokers must be 1 or 3");
        }
        Path folder = ClusterCommand.folder();
        PrintWriter out = spec.commandLine().getOut();
        if (ClusterState.read(folder).isPresent()) {
            spec.commandLine()
                    .getErr()
                    .println("cluster: a cluster is already running; stop it with 'bin/belfry cluster down'");
            return ClusterCommand.FAILED;
        }
        clear(folder);
        out.println("starting " + brokers + " Kafka broker" + (brokers == 1 ? "" : "s"));
        out.flush();
        Brokers started = Brokers.start(ClusterCommand.home(), folder, brokers);
        List<Integer> free = Ports.free(2 * nodes);
        ClusterState state = new ClusterState(
                folder,
                started.addresses(),
                IntStream.range(0, nodes)
                        .mapToObj(i -> port == 0 ? free.get(i) : port + i)
                        .toList(),
                free.subList(nodes, 2 * nodes),
                started.all().stream().map(KafkaProcess::pid).toList());
        // Written before the nodes start, so that {@code down} can stop whatever was started.
        state.write();
        return startNodes(state, out);
    }

    private int startNodes(ClusterState state, PrintWriter out) throws IOException, InterruptedException {
        for (int node = 0; node < nodes; node++) {
            Path settings = state.settingsOf(node);
            Files.write(Files.createFile(settings, OWNER_ONLY), settings(state, node));
            BelfryScript.Result result = new BelfryScript(ClusterCommand.home())
                    .run("start", "--name", ClusterState.nameOf(node), "-c", settings.toString());
            if (result.exitCode() != 0) {
                spec.commandLine()
                        .getErr()
                        .println("cluster: node " + (node + 1) + " did not start: " + result.output());
                DownCommand.end(state);
                return ClusterCommand.FAILED;
            }
            out.println("node " + (node + 1) + ": ws://127.0.0.1:"
                    + state.ports().get(node) + "/, metrics at http://127.0.0.1:"
                    + state.monitorPorts().get(node) + "/metrics");
            out.flush();
        }
        out.println("brokers: " + state.brokerAddresses());
        out.println("show its state with 'bin/belfry cluster status', stop it with 'bin/belfry cluster down'");
        return ClusterCommand.SUCCESS;
    }

    /** Returns the lines of a node's configuration. */
    private List<String> settings(ClusterState state, int node) {
        // The server compares names without regard to case.
        Map<String, String> settings = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        settings.put("Listen", "127.0.0.1:" + state.ports().get(node));
        settings.put("Memory", "256 MB");
        settings.put("Monitor", "HTTP");
        settings.put("MonitorHTTP.Listen", "127.0.0.1:" + state.monitorPorts().get(node));
        settings.put("MonitorHTTP.Authentication", "false");
        settings.put(
                "LogFolder", state.folder().resolve(ClusterState.nameOf(node)).toString());
        settings.put("ClusterEngine", "kafka");
        settings.put("Kafka.Brokers", state.brokerAddresses());
        settings.put("Kafka.Replication", Integer.toString(brokers));
        settings.putAll(sets);
        return settings.entrySet().stream()
                .map(each -> each.getKey() + " = " + each.getValue())
                .toList();
    }

    /** Deletes a folder with its contents, if it exists. */
    static void clear(Path folder) throws IOException {
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
