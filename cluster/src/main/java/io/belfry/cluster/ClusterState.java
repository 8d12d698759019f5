package io.belfry.cluster;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The record of a running cluster, a file that {@code up} writes and {@code status} and {@code down} read. Immutable.
 */
record ClusterState(
        Path folder, String brokerAddresses, List<Integer> ports, List<Integer> monitorPorts, List<Long> brokerPids) {
    ClusterState {
        ports = List.copyOf(ports);
        monitorPorts = List.copyOf(monitorPorts);
        brokerPids = List.copyOf(brokerPids);
    }

    int nodes() {
        return ports.size();
    }

    static String nameOf(int node) {
        return "cluster-" + (node + 1);
    }

    /** Returns the file of the node's configuration, with which the node can be started alone. */
    Path settingsOf(int node) {
        return folder.resolve(nameOf(node) + ".conf");
    }

    private static Path file(Path folder) {
        return folder.resolve("cluster.properties");
    }

    static Optional<ClusterState> read(Path folder) throws IOException {
        if (!Files.exists(file(folder))) {
            return Optional.empty();
        }
        Properties written = new Properties();
        try (Reader in = Files.newBufferedReader(file(folder))) {
            written.load(in);
        }
        return Optional.of(new ClusterState(
                folder,
                written.getProperty("brokers", ""),
                numbers(written, "ports").map(Integer::valueOf).toList(),
                numbers(written, "monitor-ports").map(Integer::valueOf).toList(),
                numbers(written, "broker-pids").map(Long::valueOf).toList()));
    }

    private static Stream<String> numbers(Properties written, String name) {
        return Stream.of(written.getProperty(name, "").split(",", -1)).filter(each -> !each.isEmpty());
    }

    void write() throws IOException {
        Properties written = new Properties();
        written.setProperty("brokers", brokerAddresses);
        written.setProperty("ports", joined(ports));
        written.setProperty("monitor-ports", joined(monitorPorts));
        written.setProperty("broker-pids", joined(brokerPids));
        try (Writer out = Files.newBufferedWriter(file(folder))) {
            written.store(out, "The cluster that bin/belfry cluster up started");
        }
    }

    private static String joined(List<?> numbers) {
        return String.join(",", numbers.stream().map(String::valueOf).toList());
    }

    void delete() throws IOException {
        Files.deleteIfExists(file(folder));
    }

    /**
     * Returns the brokers' processes that are alive. A process id that another program has got meanwhile does not
     * count.
     */
    List<Optional<ProcessHandle>> brokers() {
        return IntStream.range(0, brokerPids.size())
                .mapToObj(i -> ProcessHandle.of(brokerPids.get(i))
                        .filter(ProcessHandle::isAlive)
                        .filter(process -> process.info()
                                .arguments()
                                .map(arguments -> List.of(arguments).contains("kafka.Kafka"))
                                .orElse(true)))
                .toList();
    }
}
