package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is alone carries nothing of the cluster's. */
final class SingleNodeTest {
    @TempDir
    private Path folder = Path.of("");

    private List<String> logging() {
        return List.of("-Xlog:class+load:file=" + loaded());
    }

    private Path loaded() {
        return folder.resolve("loaded.log");
    }

    private List<String> ofTheCluster() throws IOException {
        try (Stream<String> lines = Files.lines(loaded())) {
            return lines.filter(line -> line.contains("org.apache.kafka.") || line.contains(".server.cluster."))
                    .toList();
        }
    }

    @Test
    void itLoadsNoClassOfKafka() throws IOException {
        try (ServerProcess node = ServerProcess.startWith(logging());
                Client client = Client.open(node, Encoding.JSON)) {
            client.subscribe("/alone");
            client.publish("/alone", "x");
        }
        assertThat(loaded()).content().contains("io.belfry.server.Server ");
        assertThat(ofTheCluster()).isEmpty();
    }

    /** The control: one that is told of a cluster does, though it finds none. */
    @Test
    void withAClusterItDoes() throws IOException {
        Assertions.assertThatThrownBy(() -> ServerProcess.startWith(
                        logging(), "ClusterEngine=kafka", "Kafka.Brokers=127.0.0.1:1", "Kafka.StartTime=1s"))
                .hasMessageContaining("did not start");
        assertThat(ofTheCluster()).isNotEmpty();
    }
}
