package io.belfry.server.monitor;

import io.belfry.server.config.LogConfig;
import io.belfry.server.config.MonitorConfig;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.jmx.JmxConfig;
import io.micrometer.jmx.JmxMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import javax.management.MBeanServer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that watches one server: the sampler with its thread, the line in the log, and the listeners that the
 * configuration asks for. Owner: the thread that starts and stops the server.
 */
public final class Monitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Monitor.class);

    private final Monitored monitored;
    private final Sampler sampler;
    private final CompositeMeterRegistry registry = new CompositeMeterRegistry();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final StatsLog stats;
    private @Nullable JmxListener jmx;
    private @Nullable HttpListener http;

    private Monitor(Monitored monitored, LogConfig log) {
        this.monitored = monitored;
        this.sampler = new Sampler(monitored.counters(), monitored.workgroups(), System::nanoTime);
        this.stats = new StatsLog(log.statsIntervalMillis(), sampler.latest());
    }

    /**
     * Opens what the configuration asks for, or nothing at all.
     *
     * @param stateFolder where a password is written when none is configured
     * @throws IOException if a listener cannot or may not be opened, with a message for the operator
     */
    public static Monitor start(MonitorConfig config, LogConfig log, Monitored monitored, Path stateFolder)
            throws IOException {
        Monitor monitor = new Monitor(monitored, log);
        try {
            monitor.open(config, stateFolder);
            return monitor;
        } catch (IOException | RuntimeException e) {
            monitor.close();
            throw e;
        }
    }

    /** The port the JMX connector listens on, if it does. */
    public OptionalInt jmxPort() {
        return jmx == null ? OptionalInt.empty() : OptionalInt.of(jmx.port());
    }

    /** The port the HTTP monitor listens on, if it does. */
    public OptionalInt httpPort() {
        return http == null ? OptionalInt.empty() : OptionalInt.of(http.port());
    }

    /** The latest figures, at most a second old. */
    public Snapshot latest() {
        return sampler.latest();
    }

    /** Takes over what can change without a restart: how often figures are logged. */
    public void reload(LogConfig log) {
        stats.onInterval(log.statsIntervalMillis());
    }

    private void open(MonitorConfig config, Path stateFolder) throws IOException {
        boolean passwordNeeded =
                (config.jmx() && config.jmxAuthentication()) || (config.http() && config.httpAuthentication());
        Optional<Credentials> credentials =
                passwordNeeded ? Optional.of(PasswordSource.credentials(config, stateFolder)) : Optional.empty();
        if (config.jmx()) {
            openJmx(config, credentials.filter(known -> config.jmxAuthentication()));
        }
        if (config.http()) {
            openHttp(config, credentials.filter(known -> config.httpAuthentication()));
        }
        Meters meters = keep(new Meters(registry, sampler));
        meters.register(
                monitored.node(),
                monitored.version(),
                () -> credentials.map(Credentials::denied).orElse(0L));
        monitored.encryption().ifPresent(meters::register);
        monitored.cluster().ifPresent(meters::register);
        keep(new Ticker()).start(() -> stats.onSnapshot(sampler.sample()));
    }

    private void openJmx(MonitorConfig config, Optional<Credentials> credentials) throws IOException {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        keep(new JmxBeans(beans)).register(sampler, monitored.node(), monitored.version());
        JmxMeterRegistry meters = new JmxMeterRegistry(new BelfryDomain(), Clock.SYSTEM);
        keep(meters::close);
        registry.add(meters);
        jmx = keep(JmxListener.open(config, credentials, beans));
    }

    private void openHttp(MonitorConfig config, Optional<Credentials> credentials) throws IOException {
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        keep(meters::close);
        meters.getPrometheusRegistry().register(new LatencyCollector(sampler));
        registry.add(meters);
        Map<String, Page> pages = Map.of(
                "/metrics", new MetricsPage(meters),
                "/stats", new StatsPage(sampler, monitored),
                "/health/live", new HealthPage(monitored.health()::live),
                "/health/ready", new HealthPage(monitored.health()::ready));
        http = keep(HttpListener.open(config, credentials, pages));
    }

    private <T extends AutoCloseable> T keep(T resource) {
        opened.push(resource);
        return resource;
    }

    /** Last opened, first closed; one that fails to close does not keep the others open. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                LOG.warn("A part of the monitor could not be closed", e);
            }
        }
    }

    /** Micrometer's beans stand under our domain. */
    private record BelfryDomain() implements JmxConfig {
        @Override
        public String domain() {
            return "belfry";
        }

        @Override
        public @Nullable String get(String key) {
            return null;
        }
    }
}
