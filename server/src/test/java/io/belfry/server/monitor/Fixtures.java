package io.belfry.server.monitor;

import io.belfry.protocol.Code;
import io.belfry.server.config.ConsoleConfig;
import io.belfry.server.config.ListenAddress;
import io.belfry.server.config.LogConfig;
import io.belfry.server.config.MonitorConfig;
import io.belfry.server.config.TlsGroup;
import io.belfry.server.counter.Counters;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Configurations and test doubles that the monitor's tests share. */
final class Fixtures {
    static final ListenAddress LOOPBACK = new ListenAddress("127.0.0.1", 0);
    static final ListenAddress EVERYWHERE = new ListenAddress("*", 0);
    static final LogConfig LOG = new LogConfig(60_000, Path.of("logs"), "INFO", 10_000_000, 10);
    static final String USER = "ops";
    static final String PASSWORD = "s3cret:with colon";

    private Fixtures() {}

    static MonitorConfig jmx() {
        return config(true, false, LOOPBACK, true, false, Optional.of(PASSWORD), Optional.empty());
    }

    static MonitorConfig jmxOverTls(Path keyStore, String keyStorePassword) {
        return new MonitorConfig(
                new MonitorConfig.Endpoint(true, LOOPBACK, true, false),
                true,
                new MonitorConfig.Endpoint(false, LOOPBACK, true, false),
                USER,
                Optional.of(PASSWORD),
                Optional.empty(),
                Optional.of(keyStore),
                Optional.of(keyStorePassword),
                TlsGroup.INTERMEDIATE,
                new ConsoleConfig(true, Optional.empty(), Optional.empty()));
    }

    static MonitorConfig http() {
        return config(false, true, LOOPBACK, true, false, Optional.of(PASSWORD), Optional.empty());
    }

    static MonitorConfig http(ListenAddress listen, boolean authentication, boolean written) {
        return config(false, true, listen, authentication, written, Optional.of(PASSWORD), Optional.empty());
    }

    static MonitorConfig jmx(ListenAddress listen, boolean authentication, boolean written) {
        return config(true, false, listen, authentication, written, Optional.of(PASSWORD), Optional.empty());
    }

    static MonitorConfig httpWithPassword(Optional<String> password, Optional<Path> file) {
        return config(false, true, LOOPBACK, true, false, password, file);
    }

    private static MonitorConfig config(
            boolean jmx,
            boolean http,
            ListenAddress listen,
            boolean authentication,
            boolean written,
            Optional<String> password,
            Optional<Path> passwordFile) {
        return new MonitorConfig(
                new MonitorConfig.Endpoint(jmx, listen, authentication, written),
                false,
                new MonitorConfig.Endpoint(http, listen, authentication, written),
                USER,
                password,
                passwordFile,
                Optional.empty(),
                Optional.empty(),
                TlsGroup.INTERMEDIATE,
                new ConsoleConfig(true, Optional.empty(), Optional.empty()));
    }

    static Monitored monitored(Counters counters) {
        return monitored(counters, new SwitchedHealth());
    }

    static Monitored monitored(Counters counters, Health health) {
        return monitored(counters, health, null);
    }

    static Monitored monitored(Counters counters, Health health, @Nullable Encryption encryption) {
        return new Monitored(
                System::currentTimeMillis,
                counters,
                List.of(new WorkgroupLoops("0", List.of(0)), new WorkgroupLoops("1", List.of(1))),
                health,
                "node-a",
                "1.2.3",
                Optional.ofNullable(encryption),
                Optional.of(new ClusterView(
                        List.of("0", "orders-0"), partition -> 5L * partition, () -> Optional.of("a reason"))),
                FeedOutlet.NONE);
    }

    /** A health that is ready until a test changes it. */
    static final class SwitchedHealth implements Health {
        volatile boolean draining;
        volatile Optional<String> warning = Optional.empty();

        @Override
        public State ready() {
            return draining ? new State.Unwell(Code.DRAIN, "The server is being drained.") : new State.Well(warning);
        }
    }
}
