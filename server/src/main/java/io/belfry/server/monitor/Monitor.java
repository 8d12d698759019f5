package io.belfry.server.monitor;

import io.belfry.server.alert.Alert;
import io.belfry.server.alert.Alerts;
import io.belfry.server.config.LogConfig;
import io.belfry.server.config.MonitorConfig;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.jmx.JmxConfig;
import io.micrometer.jmx.JmxMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongSupplier;
import javax.management.MBeanServer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Monitors one server: creates the sampler with its thread, the log of statistics, and the configured listeners. Owner:
 * the thread that starts and stops the server.
 */
public final class Monitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Monitor.class);

    private final Monitored monitored;
    private final MonitorExtension extension;
    private final Sampler sampler;
    private final CompositeMeterRegistry registry = new CompositeMeterRegistry();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final StatsLog stats;
    private final Alerts alerts = new Alerts();
    private final Feed feed;
    private final NodeOverview nodes;
    private @Nullable JmxListener jmx;
    private @Nullable HttpListener http;

    private Monitor(Monitored monitored, LogConfig log, MonitorExtension extension) {
        this.monitored = monitored;
        this.extension = extension;
        this.sampler = new Sampler(monitored.counters(), monitored.workgroups(), System::nanoTime);
        this.stats = new StatsLog(log.statsIntervalMillis(), sampler.latest());
        this.feed = new Feed(
                monitored.feed(), new SnapshotFeed(monitored, alerts::raised), monitored.node(), sampler.latest());
        this.nodes = new NodeOverview(monitored.feed(), monitored.cluster().isPresent(), System::nanoTime);
    }

    /**
     * Opens the configured parts. On failure, closes all of them.
     *
     * @param stateFolder folder for a generated password if none is configured
     * @throws IOException if a listener cannot or may not be opened, with a message for the operator
     */
    public static Monitor start(MonitorConfig config, LogConfig log, Monitored monitored, Path stateFolder)
            throws IOException {
        return start(config, log, monitored, stateFolder, MonitorExtension.NONE, null);
    }

    /** Opens the configured parts and those of an extension, and exports all meters to {@code export}, which the monitor closes. */
    public static Monitor start(
            MonitorConfig config,
            LogConfig log,
            Monitored monitored,
            Path stateFolder,
            MonitorExtension extension,
            @Nullable OtlpExport export)
            throws IOException {
        Monitor monitor = new Monitor(monitored, log, extension);
        try {
            monitor.open(config, stateFolder, export);
            return monitor;
        } catch (IOException | RuntimeException e) {
            monitor.close();
            throw e;
        }
    }

    /** Returns the port of the JMX connector, or empty if there is none. */
    public OptionalInt jmxPort() {
        return jmx == null ? OptionalInt.empty() : OptionalInt.of(jmx.port());
    }

    /** Returns the port of the HTTP monitor, or empty if there is none. */
    public OptionalInt httpPort() {
        return http == null ? OptionalInt.empty() : OptionalInt.of(http.port());
    }

    /** Returns the raised alerts, the most severe first. */
    public List<Alert> alerts() {
        return alerts.raised();
    }

    /** Returns the latest snapshot, at most a second old. */
    public Snapshot latest() {
        return sampler.latest();
    }

    /**
     * Returns the latest summary of each node, this one included. In a cluster this node follows the others from the first call
     * until ten seconds after the last one.
     */
    public List<NodeSummary> nodes() {
        return nodes.with(NodeSummary.of(
                monitored, sampler.latest(), alerts.raised(), monitored.clock().getAsLong()));
    }

    /** Applies the reloadable setting, which is the interval of the statistics log. */
    public void reload(LogConfig log) {
        stats.onInterval(log.statsIntervalMillis());
    }

    private void open(MonitorConfig config, Path stateFolder, @Nullable OtlpExport export) throws IOException {
        if (export != null) {
            keep(export).registry().config().meterFilter(new OtlpUnits());
            registry.add(export.registry());
        }
        boolean passwordNeeded = (config.jmx().open() && config.jmx().authentication())
                || (config.http().open() && config.http().authentication());
        Optional<Credentials> credentials =
                passwordNeeded ? Optional.of(PasswordSource.credentials(config, stateFolder)) : Optional.empty();
        if (config.jmx().open()) {
            openJmx(config, credentials.filter(known -> config.jmx().authentication()));
        }
        if (config.http().open()) {
            openHttp(config, credentials.filter(known -> config.http().authentication()));
        }
        Meters meters = keep(new Meters(registry, sampler));
        LongSupplier denied = () -> credentials.map(Credentials::denied).orElse(0L);
        meters.register(monitored, denied);
        if (export != null) {
            Meters.registerExport(registry, export);
        }
        Snapshot first = sampler.latest();
        AlertWindow window = new AlertWindow(monitored, denied, new ProcessShares(first.takenAtNanos()), first);
        keep(new Ticker()).start(() -> onSecond(window));
    }

    private void onSecond(AlertWindow window) {
        Snapshot snapshot = sampler.sample();
        stats.onSnapshot(snapshot);
        window.onSnapshot(snapshot);
        long nowMillis = monitored.clock().getAsLong();
        alerts.evaluate(window, nowMillis);
        feed.onSecond(snapshot);
        nodes.onSecond();
        extension.onSecond(new MonitorExtension.Second(snapshot, alerts.raised(), nowMillis, this::nodes));
    }

    private void openJmx(MonitorConfig config, Optional<Credentials> credentials) throws IOException {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        keep(new JmxBeans(beans)).register(sampler, monitored.node(), monitored.version(), alerts::raised);
        JmxMeterRegistry meters = new JmxMeterRegistry(new BelfryDomain(), Clock.SYSTEM);
        keep(meters::close);
        registry.add(meters);
        jmx = keep(JmxListener.open(config, credentials, beans));
    }

    private void openHttp(MonitorConfig config, Optional<Credentials> credentials) throws IOException {
        PrometheusMeterRegistry meters = PrometheusMeters.registry(sampler);
        keep(meters::close);
        registry.add(meters);
        Map<String, Page> pages = Map.of(
                "/metrics", new MetricsPage(meters),
                "/stats", new StatsPage(sampler, monitored),
                "/health/live", new HealthPage(monitored.health()::live, List::of),
                "/health/ready", new HealthPage(monitored.health()::ready, alerts::raised));
        http = keep(HttpListener.open(config, credentials, pages, extension));
    }

    private <T extends AutoCloseable> T keep(T resource) {
        opened.push(resource);
        return resource;
    }

    /** Closes the parts in reverse order of opening. If a part fails to close, the others are still closed. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                LOG.warn("a part of the monitor could not be closed; its port may stay open until the process ends", e);
            }
        }
    }

    /** Configures Micrometer to register its beans under the domain {@code belfry}. */
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
