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

/** Asks every node how it is. */
@Command(name = "status", description = "shows nodes, their lag and who is stale, and brokers", sortOptions = false)
final class StatusCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final int PARTITIONS_SHOWN = 8;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final ObjectMapper json = new ObjectMapper();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Optional<State> found = State.read(ClusterCommand.folder());
        if (found.isEmpty()) {
            spec.commandLine().getOut().println("no cluster is up");
            return ClusterCommand.NOT_RUNNING;
        }
        State state = found.get();
        boolean well = true;
        for (int node = 0; node < state.nodes(); node++) {
            well &= describe(state, node);
        }
        List<Optional<ProcessHandle>> brokers = state.brokers();
        for (int broker = 0; broker < brokers.size(); broker++) {
            boolean lives = brokers.get(broker).isPresent();
            well &= lives;
            out().println("broker " + (broker + 1) + "  "
                    + (lives ? "pid " + state.brokerPids().get(broker) : "not running"));
        }
        return well ? ClusterCommand.WELL : ClusterCommand.FAILED;
    }

    private boolean describe(State state, int node) throws InterruptedException {
        String monitor = "http://127.0.0.1:" + state.monitorPorts().get(node);
        try {
            HttpResponse<String> ready = get(monitor + "/health/ready");
            JsonNode stats = json.readTree(get(monitor + "/stats").body());
            JsonNode counters = stats.path("counters");
            boolean well = ready.statusCode() == 200;
            @Nullable
            String reason =
                    well ? null : json.readTree(ready.body()).path("reason").asText();
            out().printf(
                            "node %d    ws://127.0.0.1:%d/  %s  sessions %d%n",
                            node + 1,
                            state.ports().get(node),
                            reason == null ? "ready" : "not ready: " + reason,
                            stats.path("connectedSessions").asLong());
            out().printf(
                            "          read %d, repeated %d, %s, %s%.1f s in all%n",
                            counters.path("clusterRead").asLong(),
                            counters.path("clusterDuplicates").asLong(),
                            lag(stats.path("cluster").path("lagByPartition")),
                            stats.path("cluster").path("stale").asBoolean() ? "stale now, " : "stale ",
                            counters.path("clusterStaleMillis").asLong() / 1e3);
            JsonNode refused = stats.path("refusals");
            out().printf(
                            "          publishes refused %d, unknown %d, producer restarts %d%n",
                            refused.path("cluster-unreachable").asLong()
                                    + refused.path("cluster-full").asLong(),
                            counters.path("clusterPublishesUnknown").asLong(),
                            counters.path("clusterProducerRestarts").asLong());
            return well;
        } catch (IOException unreachable) {
            out().println("node " + (node + 1) + "    ws://127.0.0.1:"
                    + state.ports().get(node) + "/  does not answer; 'bin/belfry start --name " + State.nameOf(node)
                    + " -c " + state.settingsOf(node) + "' starts it again");
            return false;
        }
    }

    /** In all, and where it is: the partitions that lag most. */
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
