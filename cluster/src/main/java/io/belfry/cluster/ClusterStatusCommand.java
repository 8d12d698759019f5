package io.belfry.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Reports the state of every node and broker. */
@Command(
        name = "status",
        description = "shows the state of the nodes, with their lag, and of the brokers",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class ClusterStatusCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final int PARTITIONS_SHOWN = 8;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final ObjectMapper json = new ObjectMapper();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Optional<ClusterState> found = ClusterState.read(ClusterCommand.folder());
        if (found.isEmpty()) {
            spec.commandLine().getOut().println("no cluster is running");
            return ClusterCommand.NOT_RUNNING;
        }
        ClusterState state = found.get();
        boolean healthy = true;
        for (int node = 0; node < state.nodes(); node++) {
            healthy &= describe(state, node);
        }
        List<Optional<ProcessHandle>> brokers = state.brokers();
        for (int broker = 0; broker < brokers.size(); broker++) {
            boolean alive = brokers.get(broker).isPresent();
            healthy &= alive;
            out().println("broker " + (broker + 1) + "  "
                    + (alive ? "pid " + state.brokerPids().get(broker) : "not running"));
        }
        return healthy ? ClusterCommand.SUCCESS : ClusterCommand.FAILED;
    }

    private boolean describe(ClusterState state, int node) throws InterruptedException {
        String monitor = "http://127.0.0.1:" + state.monitorPorts().get(node);
        try {
            HttpResponse<String> ready = get(monitor + "/health/ready");
            JsonNode stats = json.readTree(get(monitor + "/stats").body());
            JsonNode counters = stats.path("counters");
            boolean healthy = ready.statusCode() == 200;
            @Nullable
            String reason =
                    healthy ? null : json.readTree(ready.body()).path("reason").asText();
            out().printf(
                            "node %d    ws://127.0.0.1:%d/  %s  sessions %d%n",
                            node + 1,
                            state.ports().get(node),
                            reason == null ? "ready" : "not ready: " + reason,
                            stats.path("connectedSessions").asLong());
            out().printf(
                            "          read %d, repeated %d, %s, %s%.1f s in total%n",
                            counters.path("clusterRead").asLong(),
                            counters.path("clusterDuplicates").asLong(),
                            lag(stats.path("cluster").path("lagByPartition")),
                            stats.path("cluster").path("stale").asBoolean() ? "stale now, stale for " : "stale for ",
                            counters.path("clusterStaleMillis").asLong() / 1e3);
            JsonNode refused = stats.path("refusals");
            out().printf(
                            "          publishes refused %d, unknown %d, producer restarts %d%n",
                            refused.path("cluster-unreachable").asLong()
                                    + refused.path("cluster-full").asLong(),
                            counters.path("clusterPublishesUnknown").asLong(),
                            counters.path("clusterProducerRestarts").asLong());
            return healthy;
        } catch (IOException unreachable) {
            out().println("node " + (node + 1) + "    ws://127.0.0.1:"
                    + state.ports().get(node) + "/  does not answer; start it with 'bin/belfry start --name "
                    + ClusterState.nameOf(node)
                    + " -c " + state.settingsOf(node) + "'");
            return false;
        }
    }

    /** Returns the total lag, and the partitions with the highest lag. */
    static String lag(JsonNode byPartition) {
        List<Map.Entry<String, Long>> lagging = byPartition.properties().stream()
                .map(each -> Map.entry(each.getKey(), each.getValue().asLong()))
                .filter(each -> each.getValue() > 0)
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .toList();
        String most = lagging.stream()
                .limit(PARTITIONS_SHOWN)
                .map(each -> each.getKey() + ": " + each.getValue())
                .collect(Collectors.joining(", "));
        long all = lagging.stream().mapToLong(Map.Entry::getValue).sum();
        String rest = lagging.size() > PARTITIONS_SHOWN ? ", ..." : "";
        return "lag " + all + (lagging.isEmpty() ? "" : " (by partition " + most + rest + ")");
    }

    private HttpResponse<String> get(String address) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create(address)).timeout(PATIENCE).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
