package io.belfry.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerStartTest {
    /** Two lanes hold 8 MB each for what is published next. */
    private static final long LANES_BYTES = 16L << 20;

    @TempDir
    private Path folder;

    private ServerConfig listeningOn(int port) {
        return ConfigLoader.load(
                Optional.empty(),
                Map.of(),
                List.of(
                        "Listen=127.0.0.1:" + port,
                        "Monitor=none",
                        "LogFolder=" + folder,
                        "History=disk",
                        "History.Folder=" + folder.resolve("data"),
                        "IoThreads=2",
                        "Workgroups=2"));
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    @Test
    void aStartThatFailsAfterItsLanesWereBuiltGivesTheirMemoryBack() throws IOException {
        Server.start(listeningOn(0)).stop();
        long before = directBytes();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> Server.start(listeningOn(taken.getLocalPort())))
                    .hasMessageContaining("cannot listen on");
        }
        assertThat(directBytes() - before).isLessThan(LANES_BYTES / 2);
        Server again = Server.start(listeningOn(0));
        assertThat(directBytes() - before).isGreaterThanOrEqualTo(LANES_BYTES);
        again.stop();
    }
}
