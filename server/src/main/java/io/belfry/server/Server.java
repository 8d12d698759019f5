package io.belfry.server;

import io.belfry.protocol.Code;
import io.belfry.server.api.ApiSetup;
import io.belfry.server.api.ServerApi;
import io.belfry.server.cluster.Cluster;
import io.belfry.server.command.RunningServer;
import io.belfry.server.config.ApiConfig;
import io.belfry.server.config.EffectiveConfig;
import io.belfry.server.config.EntitlementConfig;
import io.belfry.server.config.HistoryConfig;
import io.belfry.server.config.KafkaConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.console.Console;
import io.belfry.server.console.ConsoleSetup;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.delivery.NodeIdentity;
import io.belfry.server.disk.DiskHistory;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Entitlements;
import io.belfry.server.entitlement.RevocationFile;
import io.belfry.server.entitlement.Revocations;
import io.belfry.server.event.ApplicationEvent;
import io.belfry.server.event.ApplicationEvents;
import io.belfry.server.monitor.ClusterView;
import io.belfry.server.monitor.Encryption;
import io.belfry.server.monitor.Health;
import io.belfry.server.monitor.Monitor;
import io.belfry.server.monitor.MonitorExtension;
import io.belfry.server.monitor.Monitored;
import io.belfry.server.monitor.NodeSummary;
import io.belfry.server.monitor.WorkgroupLoops;
import io.belfry.server.tls.Tls;
import io.belfry.server.transport.ListenerTransport;
import io.belfry.server.turn.Clock;
import io.belfry.server.workgroup.Lane;
import io.belfry.server.workgroup.LaneSetup;
import io.belfry.server.workgroup.ServerSubjects;
import io.belfry.server.workgroup.Workgroups;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, starts and stops all parts of the server. It is the only class that depends on all packages, and it defines
 * the order of start and stop. Any thread may call its methods.
 */
public final class Server implements RunningServer {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    /** Duration over which an orderly stop spreads the disconnects, so that clients do not reconnect all at once. */
    private static final Duration STOP_OVER = Duration.ofSeconds(2);

    private static final long STOP_WAIT_MILLIS = 3000;
    private static final long POLL_MILLIS = 20;

    private enum State {
        STARTING,
        RUNNING,
        DRAINING,
        STOPPED
    }

    private final OpenParts open = new OpenParts();
    private final NodeIdentity node = new NodeIdentity(Clock.SYSTEM.millis());
    private final Counters counters;
    private final @Nullable DiskHistory disk;
    private final @Nullable Cluster cluster;
    private final @Nullable OtlpParts otlp;
    private final @Nullable ApplicationEvents events;
    private final @Nullable Tls tls;
    private final @Nullable Revocations revocations;
    private final CompletableFuture<Lane> counting = new CompletableFuture<>();
    private final ListenerTransport transport;
    private final Workgroups workgroups;
    private final ListenerTransport.Listening listening;
    private final @Nullable Console console;
    private final Monitor monitor;
    private final @Nullable ServerApi api;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile State state = State.STARTING;
    private volatile @Nullable String failure;
    private volatile @Nullable EffectiveConfig effective;
    private Entitlement entitlement;
    private List<Lane> lanes = List.of();
    private boolean stopping;

    /** Whether the lanes have stored all accepted messages, so that the next start need not check the disk. */
    private boolean stoppedWell;

    private Server(ServerConfig config) throws IOException {
        counters = new Counters(config.workgroups().ioThreads());
        try {
            otlp = OtlpParts.of(config);
            // A part is opened after those that it uses, and closed before them.
            tls = openTls(config);
            revocations = openRevocations(config);
            entitlement = Entitlements.start(
                    config.entitlement(), Clock.SYSTEM::millis, new CountedDecisions(counting), revocations);
            open.add("the entitlement", this::closeEntitlement);
            disk = openDisk(config);
            // The lanes are released after their loops have ended, and before the disk, which gets their last messages.
            open.add("the lanes", this::releaseLanes);
            transport = new ListenerTransport(config, tls);
            open.add("the event loops", transport::stop);
            cluster = openCluster(config);
            events = openEvents(config);
            LaneSetup setup = setup(config);
            workgroups = new Workgroups(config.workgroups(), transport::loop, setup);
            lanes = workgroups.lanes();
            counting.complete(lanes.getFirst());
            if (cluster != null) {
                cluster.start(setup.seed());
            }
            listening = transport.listen(config, workgroups, this::notReady, Clock.SYSTEM);
            // Set the name before the state becomes RUNNING, because sessions begin only after that.
            node.name(NodeName.of(config, listening));
            Monitored monitored = monitored(config, new ServerSubjects(lanes, setup.seed(), NodeSummary.QUESTION));
            console = openConsole(config, monitored);
            monitor = Monitor.start(
                    config.monitor(),
                    config.process().log(),
                    monitored,
                    config.process().log().folder(),
                    console == null ? MonitorExtension.NONE : console,
                    OtlpParts.exportOf(otlp, node.name()));
            open.add("the monitor", monitor::close);
            api = openApi(config);
            enterRunning();
            if (events != null) {
                events.add(ApplicationEvent.started(Clock.SYSTEM.millis()));
            }
        } catch (IOException | RuntimeException failure) {
            open.close();
            throw failure;
        }
    }

    /** Ends the start; throws if a part has failed meanwhile. */
    private synchronized void enterRunning() throws IOException {
        if (failure != null) {
            throw new IOException(failure);
        }
        state = State.RUNNING;
    }

    /** Starts a server and returns when every listener is open. On failure, closes everything it has opened. */
    public static Server start(ServerConfig config) throws IOException {
        Server server = new Server(config);
        server.listening.plain().forEach(address -> LOG.info("listening on {}", address));
        server.listening.encrypted().forEach(address -> LOG.info("listening on {} with TLS", address));
        LOG.info(
                "node {}: {} lanes in {} workgroups over {} sockets",
                server.node.name(),
                config.workgroups().ioThreads(),
                config.workgroups().workgroups(),
                server.transport.socketKind());
        return server;
    }

    private @Nullable Tls openTls(ServerConfig config) throws IOException {
        if (config.network().listen().encrypted().isEmpty()) {
            return null;
        }
        Tls opened = Tls.open(config.network().tls(), Server::now);
        open.add("TLS", opened::close);
        return opened;
    }

    /** Returns the list of revoked tokens, if there are tokens and an API that revokes them; others cost no session any memory. */
    private static @Nullable Revocations openRevocations(ServerConfig config) throws IOException {
        if (config.api().isEmpty() || config.entitlement().kind() != EntitlementConfig.Kind.JWT) {
            return null;
        }
        ApiConfig.Revoking revoking = config.api().get().revoking();
        return Revocations.open(
                revoking.entriesMax(),
                Clock.SYSTEM::millis,
                revoking.file().map(RevocationFile::new).orElse(null));
    }

    private @Nullable DiskHistory openDisk(ServerConfig config) throws IOException {
        if (config.history().kind() == HistoryConfig.Kind.MEMORY) {
            return null;
        }
        DiskHistory opened = DiskHistory.open(
                config.history(),
                config.workgroups().ioThreads(),
                config.messages().maxMessageSize(),
                Clock.SYSTEM.millis());
        open.add("the history", () -> closeDisk(opened));
        return opened;
    }

    private static Instant now() {
        return Instant.ofEpochMilli(Clock.SYSTEM.millis());
    }

    private @Nullable Cluster openCluster(ServerConfig config) throws IOException {
        KafkaConfig kafka = config.kafka().orElse(null);
        if (kafka == null) {
            return null;
        }
        Cluster opened = Cluster.open(
                kafka,
                config,
                new Cluster.Server(
                        Clock.SYSTEM::millis,
                        (counter, amount) -> counting.thenAccept(lane -> lane.count(counter, amount)),
                        this::onBroken));
        open.add("the cluster", opened::close);
        return opened;
    }

    /** Stops this node after an unrecoverable failure. Its clients reconnect to other nodes; a supervisor restarts it. */
    private synchronized void onBroken(String reason) {
        if (failure != null) {
            return;
        }
        failure = reason;
        // A failure during the start ends the start.
        if (state != State.STARTING) {
            LOG.error("this node stops: {}; its clients are disconnected, restart it after fixing the cause", reason);
            new Thread(this::stop, "belfry-stop").start();
        }
    }

    @Override
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    private void releaseLanes() {
        boolean well = true;
        for (Lane lane : lanes) {
            well &= lane.release();
        }
        // A server that never ran has written nothing that the next start could trust.
        stoppedWell = well && state != State.STARTING;
    }

    private void closeDisk(DiskHistory opened) {
        try {
            opened.close(stoppedWell);
        } catch (IOException failure) {
            LOG.error("history close failed; the next start recovers as after a crash", failure);
        }
    }

    private LaneSetup setup(ServerConfig config) {
        Clock clock = Clock.SYSTEM;
        NodeFacts facts = new NodeFacts(node, epoch(clock), config.messages().maxMessageSize());
        return new LaneSetup(
                config,
                entitlement,
                facts,
                counters,
                clock,
                disk == null ? new SecureRandom().nextLong() : disk.seed(),
                disk,
                cluster,
                OtlpParts.tracerOf(otlp),
                events);
    }

    private long epoch(Clock clock) {
        if (cluster != null) {
            return cluster.epoch();
        }
        return disk == null ? clock.millis() : disk.epoch();
    }

    private Monitored monitored(ServerConfig config, ServerSubjects subjects) {
        List<WorkgroupLoops> groups = IntStream.range(0, config.workgroups().workgroups())
                .mapToObj(group -> new WorkgroupLoops(
                        Integer.toString(group),
                        lanes.stream()
                                .map(Lane::index)
                                .filter(lane -> workgroups.workgroupOf(lane) == group)
                                .toList()))
                .toList();
        Health health = () -> notReady()
                .<Health.State>map(reason -> new Health.State.Unwell(Code.NOT_READY, reason))
                .orElseGet(() -> new Health.State.Well(warning()));
        return new Monitored(
                Clock.SYSTEM::millis,
                counters,
                groups,
                health,
                node.name(),
                version(),
                Optional.ofNullable(tls)
                        .map(own -> new Encryption(own.provider().toString(), own::expires)),
                cluster == null ? Optional.empty() : Optional.of(viewOf(cluster)),
                new FeedLanes(subjects));
    }

    private @Nullable ApplicationEvents openEvents(ServerConfig config) throws IOException {
        if (config.events().isEmpty()) {
            return null;
        }
        ApplicationEvents opened = EventParts.start(config, node, counting, cluster);
        open.add("the events", opened::close);
        return opened;
    }

    private @Nullable Console openConsole(ServerConfig config, Monitored monitored) throws IOException {
        if (!config.monitor().http().open() || !config.monitor().console().open()) {
            return null;
        }
        Console opened = Console.open(new ConsoleSetup(
                config.monitor(),
                monitored,
                Path.of(System.getProperty("belfry.home", ".")).resolve("console/build/site"),
                lanes.stream().map(Lane::inspector).toList(),
                Stream.concat(
                                listening.plain().stream().map(address -> "ws://:" + address.port()),
                                listening.encrypted().stream().map(address -> "wss://:" + address.port()))
                        .toList(),
                () -> Optional.ofNullable(effective)));
        open.add("the console", opened::close);
        return opened;
    }

    private @Nullable ServerApi openApi(ServerConfig config) throws IOException {
        if (config.api().isEmpty()) {
            return null;
        }
        ServerApi opened = ServerApi.open(
                new ApiSetup(config.api().get(), lanes, node.name(), monitor::nodes, this::drain, revocations));
        open.add("the server API", opened::close);
        return opened;
    }

    @Override
    public void configured(EffectiveConfig by) {
        if (effective != null && console != null) {
            console.event("config-reloaded", "the configuration was reloaded");
        }
        effective = by;
    }

    /** Creates the monitor's view. Code inlined in the caller would load the class Cluster even without a cluster. */
    private static ClusterView viewOf(Cluster cluster) {
        return new ClusterView(cluster.partitions(), cluster::lag, cluster::trouble);
    }

    static String version() {
        return Optional.ofNullable(Server.class.getPackage().getImplementationVersion())
                .orElse("development");
    }

    private Optional<String> notReady() {
        return switch (state) {
            case RUNNING -> cluster == null ? Optional.empty() : cluster.trouble();
            case STARTING -> Optional.of("starting");
            case DRAINING -> Optional.of("draining");
            case STOPPED -> Optional.of("stopped");
        };
    }

    /** Returns a description of a partial failure that does not stop the node from accepting clients. */
    private Optional<String> warning() {
        return counters.total(Counter.HISTORY_FAILING) == 0
                ? Optional.empty()
                : Optional.of("history cannot write to disk: publishes are refused, subscribers are still served");
    }

    /** Returns the addresses of the open listeners, with the ports that were bound. */
    public ListenerTransport.Listening listening() {
        return listening;
    }

    /** Returns the port of the server API, or empty if there is none. */
    public OptionalInt apiPort() {
        return api == null ? OptionalInt.empty() : OptionalInt.of(api.port());
    }

    /** Returns the monitor of this server. */
    public Monitor monitor() {
        return monitor;
    }

    @Override
    public String status() {
        return "%s, %d sessions, %d subjects, listening on %s%s"
                        .formatted(
                                state.name().toLowerCase(Locale.ROOT),
                                counters.connectedSessions(),
                                counters.total(Counter.SUBJECTS),
                                listening.plain(),
                                tls == null ? "" : ", with TLS on " + listening.encrypted() + "\n" + tls.describe())
                + monitor.alerts().stream()
                        .map(alert -> "\n" + alert.rule().severity().text() + ": " + alert.sentence() + "\n  "
                                + alert.rule().nextStep())
                        .collect(Collectors.joining());
    }

    /** Applies the reloadable keys. If a key file or a token cannot be read, nothing changes. */
    @Override
    public synchronized void reconfigure(ServerConfig next) {
        try {
            if (api != null) {
                api.reload();
            }
            entitlement = entitlement.reconfigured(next.entitlement());
        } catch (IOException failure) {
            throw new IllegalStateException(failure.getMessage(), failure);
        }
        Entitlement deciding = entitlement;
        lanes.forEach(lane -> lane.reconfigure(next, deciding));
        transport.reconfigure(next);
        monitor.reload(next.process().log());
    }

    /** Refuses new connections and asks sessions to reconnect elsewhere, spread over {@code over}. Returns at once. */
    @Override
    public void drain(Duration over) {
        state = State.DRAINING;
        transport.drain();
        lanes.forEach(lane -> lane.drain(over.toMillis()));
        LOG.info("draining {} sessions over {}", counters.connectedSessions(), over);
        if (console != null) {
            console.event("draining", "the sessions are asked to reconnect elsewhere");
        }
    }

    /** Stops the server in order: disconnects the clients, then ends the loops. A second call waits for the first. */
    @Override
    public void stop() {
        if (!beginStop()) {
            awaitStopped();
            return;
        }
        drain(STOP_OVER);
        transport.stopListening();
        awaitSessionsGone();
        open.close();
        state = State.STOPPED;
        stopped.countDown();
    }

    private synchronized void closeEntitlement() {
        entitlement.close();
    }

    private synchronized boolean beginStop() {
        boolean first = !stopping;
        stopping = true;
        return first;
    }

    private void awaitSessionsGone() {
        long deadline = System.nanoTime() + STOP_WAIT_MILLIS * 1_000_000;
        while (counters.total(Counter.CONNECTIONS_ACCEPTED) > counters.total(Counter.CONNECTIONS_CLOSED)
                && System.nanoTime() < deadline) {
            java.util.concurrent.locks.LockSupport.parkNanos(POLL_MILLIS * 1_000_000);
        }
    }

    /** Returns when the server has stopped for any reason. An interrupt ends only the waiting. */
    @Override
    public void awaitStopped() {
        try {
            stopped.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
