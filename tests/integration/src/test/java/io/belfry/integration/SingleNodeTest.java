package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a single node loads no code of the cluster. */
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
    void aSingleNodeLoadsNoKafkaClass() throws IOException {
        try (ServerProcess node = ServerProcess.startWith(logging());
                TestClient client = TestClient.open(node, WireEncoding.JSON)) {
            client.subscribe("/alone");
            client.publish("/alone", "x");
        }
        assertThat(loaded()).content().contains("io.belfry.server.Server ");
        assertThat(ofTheCluster()).isEmpty();
    }

    /** The control: a node with a configured cluster loads these classes, although it finds no broker. */
    @Tag("complete")
    @Test
    void aClusterNodeLoadsKafkaClasses() throws IOException {
        Assertions.assertThatThrownBy(() -> ServerProcess.startWith(
                        logging(), "ClusterEngine=kafka", "Kafka.Brokers=127.0.0.1:1", "Kafka.StartTime=1s"))
                .hasMessageContaining("did not start");
        assertThat(ofTheCluster()).isNotEmpty();
    }
}
