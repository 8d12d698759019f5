package io.belfry.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ProcessConfig;
import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the names of a node and of its sessions. */
class NodeNameTest {
    @TempDir
    private Path folder;

    private ServerConfig config(String... sets) {
        List<String> all = new ArrayList<>(
                List.of("Listen=127.0.0.1:0", "Monitor=none", "LogFolder=" + folder, "IoThreads=1", "Workgroups=1"));
        all.addAll(List.of(sets));
        return ConfigLoader.load(Optional.empty(), Map.of(), all);
    }

    @Test
    void aNodeKeepsItsNameOverRestarts() throws Exception {
        Server first = Server.start(config());
        int port = port(first);
        String name = streamed(first);
        first.stop();
        Server second = Server.start(config("Listen=127.0.0.1:" + port));
        String again = streamed(second);
        second.stop();

        String node = name.substring(0, name.indexOf("-" + port + "-") + ("-" + port).length());
        assertThat(node).matches("[a-z0-9][a-z0-9._-]*-" + port);
        assertThat(again).startsWith(node + "-");
        assertThat(again).as("a session after the restart").isNotEqualTo(name);
    }

    @Test
    void twoNodesOfAHostHaveDifferentNames() {
        assertThat(NodeName.derived("My_Host.example.com", 8800)).isEqualTo("my_host.example.com-8800");
        assertThat(NodeName.derived("My_Host.example.com", 8801)).isEqualTo("my_host.example.com-8801");
    }

    @Test
    void aValidNameIsDerivedFromAnyHostName() {
        assertThat(NodeName.derived("", 1)).isEqualTo("node-1");
        assertThat(NodeName.derived("--", 1)).isEqualTo("node-1");
        assertThat(NodeName.derived("m\u00fcller's mac.", 1)).isEqualTo("m-ller-s-mac-1");
        String longest = NodeName.derived("h".repeat(300), 65_535);
        assertThat(longest).hasSize(ProcessConfig.MAX_NODE_NAME).endsWith("h-65535");
        assertThat(config("NodeName=" + longest).process().nodeName()).hasValue(longest);
    }

    @Test
    void aConfiguredNodeNameIsUsed() throws Exception {
        Server server = Server.start(config("NodeName=berlin-1"));
        String session = streamed(server);
        server.stop();

        assertThat(session).startsWith("berlin-1-");
    }

    @Test
    void invalidNodeNamesAreRefused() {
        for (String wrong : List.of("-a", "a b", "a/b", "x".repeat(65), "\u00fc")) {
            assertThatThrownBy(() -> config("NodeName=" + wrong)).hasMessageContaining("NodeName");
        }
    }

    private static int port(Server server) {
        return server.listening().plain().getFirst().port();
    }

    /** Opens a stream and returns the name of its session. */
    private static String streamed(Server server) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(server))) {
            return SessionNameTest.session(socket);
        }
    }
}
