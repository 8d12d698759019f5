package io.belfry.clients;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.integration.CuttingProxy;
import io.belfry.integration.FaultList;
import io.belfry.integration.Ledger;
import io.belfry.integration.NetworkFaults;
import io.belfry.integration.RepeatingPublisher;
import io.belfry.integration.StreamWitness;
import io.belfry.integration.TestServer;
import io.belfry.integration.WirePublisher;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Everything that one check uses. Closing ends what the check has started. Owner: the check's thread. */
final class Scene implements AutoCloseable {
    private static final AtomicLong SCENES = new AtomicLong();

    /** An upper bound for pauses that keeps runs short and does not flood the server. */
    private static final int RETRY_MAX_MILLIS = 100;

    private static final int BEHIND_MAX = 300;

    private final DriverProcess driver;
    private final SuiteServers servers;
    private final RunSettings settings;
    private final long number = SCENES.incrementAndGet();
    private final Random random;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final List<DrivenClient> clients = new ArrayList<>();

    private int started;

    final FaultList faults = new FaultList();
    final Ledger ledger = new Ledger(faults);

    /** {@code salt} makes the random choices of each check different. */
    Scene(DriverProcess driver, SuiteServers servers, RunSettings settings, int salt) {
        this.driver = driver;
        this.servers = servers;
        this.settings = settings;
        this.random = new Random(settings.seed() * 31 + salt);
    }

    DriverProcess driver() {
        return driver;
    }

    TestServer main() {
        return servers.main();
    }

    TestServer brief() {
        return servers.brief();
    }

    TestServer guarded() {
        return servers.guarded();
    }

    List<TestServer> cluster() {
        return servers.cluster();
    }

    Random random() {
        return random;
    }

    RunSettings settings() {
        return settings;
    }

    /** Returns a subject that no other check uses. */
    String subject(String end) {
        return "/suite/" + number + "/" + end;
    }

    boolean can(Wire wire) {
        return driver.capabilities().containsAll(wire.needs());
    }

    /** Returns the wires that the client has. */
    List<Wire> wires() {
        return Arrays.stream(Wire.values()).filter(this::can).toList();
    }

    /** Returns the first wire that the client has: that of checks for which the transport does not matter. */
    Wire anyWire() {
        return wires().get(0);
    }

    // ---- clients ----

    /** Returns the options of a client with short pauses. */
    ObjectNode plan(Wire wire, int... ports) {
        ObjectNode plan = patientPlan(wire, ports);
        return driver.capabilities().contains("retry") ? plan.put("retryMaxMillis", RETRY_MAX_MILLIS) : plan;
    }

    /** Returns the options of a client with its default pauses. */
    ObjectNode patientPlan(Wire wire, int... ports) {
        ObjectNode plan = withServers(DriverProcess.JSON.createObjectNode(), ports);
        wire.addTo(plan);
        return plan;
    }

    /** Sets the servers of these options. */
    static ObjectNode withServers(ObjectNode plan, int... ports) {
        var list = plan.putArray("servers");
        for (int port : ports) {
            list.addObject().put("url", "ws://127.0.0.1:" + port);
        }
        return plan;
    }

    DrivenClient start(Wire wire, int... ports) {
        return start(plan(wire, ports));
    }

    DrivenClient start(ObjectNode plan) {
        return start(plan, client -> {});
    }

    /** Starts a client that needs an observer from its first event on. */
    DrivenClient start(ObjectNode plan, Consumer<DrivenClient> before) {
        String name = "c" + number + "-" + ++started;
        DrivenClient client = new DrivenClient(driver, name);
        clients.add(client);
        before.accept(client);
        driver.call(plan.put("op", "new").put("client", name));
        return client;
    }

    /** Closes a client before the end of the check. */
    void close(DrivenClient client) {
        clients.remove(client);
        client.close();
    }

    /** Returns the latest events of each client, to explain a failure. */
    String latestEvents() {
        return clients.stream()
                .map(client -> client + ": " + client.latest())
                .collect(Collectors.joining("\n", "latest events other than messages and gaps:\n", ""));
    }

    // ---- network, publishers, witnesses ----

    <T extends AutoCloseable> T closing(T resource) {
        opened.push(resource);
        return resource;
    }

    /** Returns a proxy without faults, which the check may cut. */
    CuttingProxy proxy(int port) {
        return proxy(port, NetworkFaults.calm());
    }

    CuttingProxy proxy(int port, NetworkFaults network) {
        return closing(new CuttingProxy(() -> port, network));
    }

    Gate gate(int port) {
        return closing(new Gate(port));
    }

    /** Starts a publisher that repeats unanswered messages, directly to the server. It waits while the follower is far behind. */
    RepeatingPublisher publishRandomly(
            TestServer server, int publisher, List<String> subjects, StreamWitness follower) {
        WirePublisher started = new WirePublisher(
                publisher, subjects, true, server.port(), new Random(random.nextLong()), ledger, faults);
        started.publishOnlyIf(() -> !isFarBehind(follower));
        closing(started::stop);
        Thread.ofVirtual().start(started);
        return started;
    }

    /**
     * Whether a follower needs time without new messages and cuts. The history outlasts every cut, but not a follower
     * that is slower than its publisher for minutes.
     */
    boolean isFarBehind(StreamWitness follower) {
        return follower.behind(ledger.ends()) >= BEHIND_MAX;
    }

    static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    SuitePublisher publisher(TestServer server) {
        return closing(new SuitePublisher(server, 0, ledger, random));
    }

    StreamWitness witness(String name) {
        return witness(name, (subject, reason) -> false, false);
    }

    StreamWitness witness(String name, BiPredicate<String, String> mayGap, boolean conflating) {
        return new StreamWitness(driver.client() + ", " + name, ledger, faults, mayGap, conflating);
    }

    void requireNoFault() {
        if (faults.count() > 0) {
            throw new AssertionError(faults.count() + " faults: " + String.join("\n", faults.first()));
        }
    }

    @Override
    public void close() {
        try {
            clients.forEach(DrivenClient::close);
        } finally {
            opened.forEach(Scene::close);
        }
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            throw new IllegalStateException("cannot close " + resource, e);
        }
    }
}
