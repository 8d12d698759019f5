package io.belfry.integration;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.belfry.server.Server;
import io.belfry.server.monitor.NodeSummary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** A server in the JVM of the test. Its log contains the output of the whole JVM between its start and its end. */
final class ServerInJvm extends TestServer {
    private final LogLines log = new LogLines();
    private final ReloadableServer reloadable;
    private final Server server;
    private boolean errorsExpected;

    private ServerInJvm(List<String> settings) throws IOException {
        log.attach();
        @Nullable ReloadableServer started = null;
        try {
            started = ReloadableServer.start(settings);
        } catch (IllegalArgumentException | IOException refused) {
            throw new AssertionError("the server did not start: " + refused.getMessage() + "\n" + logText(), refused);
        } finally {
            if (started == null) {
                log.detach();
            }
        }
        reloadable = started;
        server = started.server();
    }

    public static ServerInJvm start(String... settings) {
        try {
            List<String> all = new ArrayList<>(DEFAULTS);
            all.add("LogFolder=" + Files.createTempDirectory(TestMachine.target(), "server"));
            all.addAll(List.of(settings));
            return new ServerInJvm(all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    List<Integer> ports() {
        return Stream.concat(server.listening().plain().stream(), server.listening().encrypted().stream())
                .map(address -> address.port())
                .toList();
    }

    @Override
    public int monitorHttpPort() {
        return server.monitor().httpPort().orElse(0);
    }

    /** Returns the port of the server API. */
    @Override
    public int apiPort() {
        return server.apiPort().orElseThrow();
    }

    /** Returns the nodes that this node knows. */
    List<NodeSummary> nodes() {
        return server.monitor().nodes();
    }

    @Override
    int jmxPort() {
        return server.monitor().jmxPort().orElse(0);
    }

    @Override
    void drain(long overMillis) {
        server.drain(Duration.ofMillis(overMillis));
    }

    @Override
    void reload(String setting) {
        reloadable.reload(setting).ifPresent(log::add);
    }

    @Override
    void expectErrors() {
        errorsExpected = true;
    }

    @Override
    String logText() {
        return log.text();
    }

    @Override
    public void close() {
        server.stop();
        log.detach();
        if (log.hasError() && !errorsExpected) {
            throw new AssertionError("the server logged an error:\n" + logText());
        }
    }

    /** Collects the log of the JVM. Immutable except for its lines, which any thread adds. */
    private static final class LogLines extends AppenderBase<ILoggingEvent> {
        private final List<String> lines = new CopyOnWriteArrayList<>();
        private volatile boolean error;

        void attach() {
            Logger root = root();
            setContext(root.getLoggerContext());
            start();
            root.addAppender(this);
        }

        void detach() {
            root().detachAppender(this);
        }

        private static Logger root() {
            return (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        }

        @Override
        protected void append(ILoggingEvent event) {
            error |= event.getLevel().isGreaterOrEqual(Level.ERROR);
            String line = event.getLevel() + " " + event.getLoggerName() + " " + event.getFormattedMessage();
            add(
                    event.getThrowableProxy() == null
                            ? line
                            : line + "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }

        void add(String line) {
            lines.add(line);
        }

        boolean hasError() {
            return error;
        }

        String text() {
            return String.join("\n", lines);
        }
    }
}
