package io.belfry.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Properties of a new cluster's id and of its ports. */
class BrokersTest {
    @Test
    void aClusterIdNeverBeginsWithADash() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            ids.add(Brokers.newId());
        }
        assertThat(ids).hasSize(10_000).allMatch(id -> id.matches("[A-Za-z][A-Za-z0-9_-]{21}"));
    }

    @Test
    void portsAreBelowThoseThatTheSystemAssigns() throws IOException {
        Set<Integer> ports = new HashSet<>(Ports.free(50));
        ports.addAll(Ports.free(50));
        assertThat(ports).hasSize(100).allMatch(port -> port >= 15_000 && port < 30_000);
    }

    @Test
    void aPortInUseIsSkippedByTheSearchAndRefusedByAStart(@TempDir Path folder) throws IOException {
        int next = Ports.free(1).getFirst() + 1;
        try (ServerSocket other = new ServerSocket(next, 1, InetAddress.getLoopbackAddress())) {
            assertThat(Ports.free(1)).doesNotContain(other.getLocalPort());
            KafkaProcess broker = new KafkaProcess(folder, folder, 1, other.getLocalPort(), null, List.of());
            assertThatThrownBy(broker::start)
                    .hasMessage("broker 1 cannot listen on port " + next + ": another program does");
        }
    }
}
