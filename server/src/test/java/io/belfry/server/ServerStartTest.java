package io.belfry.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ServerConfig;
import io.netty.channel.DefaultChannelId;
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
import org.slf4j.LoggerFactory;

class ServerStartTest {
    /** Two lanes allocate 8 MB each for the messages that are published next. */
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
    void aNormalStartLogsNoWarnings() throws IOException {
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        root.addAppender(logged);
        try {
            Server.start(ConfigLoader.load(
                            Optional.empty(),
                            Map.of(),
                            List.of(
                                    "Listen=127.0.0.1:0",
                                    "Monitor=JMX, HTTP",
                                    "MonitorJMX.Listen=127.0.0.1:0",
                                    "MonitorHTTP.Listen=127.0.0.1:0",
                                    "LogFolder=" + folder)))
                    .stop();
        } finally {
            root.detachAppender(logged);
        }
        assertThat(logged.list.stream().filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN)))
                .isEmpty();
    }

    @Test
    void aStartNeedsNoHardwareAddress() throws IOException {
        Server.start(listeningOn(0)).stop();

        String id = System.getProperty("io.netty.machineId");
        assertThat(DefaultChannelId.newInstance().asLongText()).startsWith(id.replace(":", "") + "-");
    }

    @Test
    void aFailedStartReleasesTheMemoryOfItsLanes() throws IOException {
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
