package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.cluster.Brokers;
import io.belfry.cluster.KafkaProcess;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests nodes that lose Kafka for a while, and a Kafka that lost messages. With {@code -Dbelfry.cluster.proof=long}
 * three brokers are down for 30 s under production settings; otherwise a single broker is down for 4 s.
 */
@Tag("complete")
final class ClusterOutagesTest {
    private static final boolean LONG =
            System.getProperty("belfry.cluster.proof", "").equals("long");
    private static final int PER_SECOND = 5000;
    private static final long LAG_MILLIS = 50;

    /** Maximum number of outages; one without delays is enough. */
    private static final int OUTAGES = 4;

    /** Faults between the brokers and the nodes that connect through the proxies. */
    private static final NetworkFaults BETWEEN = NetworkFaults.calm();

    private static final List<CuttingProxy> DETOURS = new ArrayList<>();
    private static Path folder;
    private static Brokers brokers;
    private ClusterNodes cluster;

    @BeforeAll
    static void start() throws IOException {
        folder = Files.createTempDirectory(TestMachine.target(), "brokers");
        brokers = Brokers.start(TestMachine.root(), folder, LONG ? 3 : 1, port -> {
            CuttingProxy detour = new CuttingProxy(() -> port, BETWEEN);
            DETOURS.add(detour);
            return detour.port();
        });
    }

    @AfterAll
    static void stop() {
        brokers.close();
        DETOURS.forEach(CuttingProxy::close);
    }

    @BeforeEach
    void takeTopic() {
        cluster = ClusterNodes.on(brokers);
    }

    private static int ready(ServerProcess node) {
        try (Http http = Http.to(node.monitorHttpPort())) {
            return http.get("/health/ready", "Connection: close").status();
        }
    }

    // ---- no broker ----

    /**
     * Measures delays, so no other test may compete for the processors. A server that waits for Kafka on an event loop
     * does so in every outage; a delay caused by the machine, or by the start of the brokers, is not in all of them.
     */
    @Tag("alone")
    @Test
    void loopsRunAndPublishesAreAnsweredWithoutBrokers() throws Exception {
        String[] settings = LONG
                ? cluster.settings("BenchmarkMode=true", "CacheSize=1000000", "PingInterval=2s")
                : cluster.settings(
                        "BenchmarkMode=true",
                        "CacheSize=1000000",
                        "PingInterval=2s",
                        "Kafka.PublishTime=2s",
                        "Kafka.producer.delivery.timeout.ms=3000",
                        "Kafka.producer.request.timeout.ms=2000");
        try (ServerProcess node = ServerProcess.startUnwatched(settings);
                SteadyLoad load = new SteadyLoad(node, PER_SECOND);
                LoopProbe probe = new LoopProbe(node)) {
            // The server's figure for the last minute covers its whole run, and its first seconds are its slowest.
            TimeUnit.SECONDS.sleep(LONG ? 65 : 3);
            long excessMillis = Long.MAX_VALUE;
            for (int outage = 1; outage <= OUTAGES && excessMillis >= LAG_MILLIS; outage++) {
                excessMillis = Math.min(excessMillis, outage(node, load, probe));
            }
            List<String> faults = load.finish();
            assertThat(faults).isEmpty();
            assertThat(load.answers()).containsKeys("accepted", "cluster-unreachable");
            assertThat(excessMillis)
                    .as("longest wait of a ping beyond that before the outage, in ms")
                    .isLessThan(LAG_MILLIS);
            requireProbeDetectsStall(node, probe);
        }
    }

    /** Stops the brokers for a while; returns by how much a ping waited longer than before, in milliseconds. */
    private static long outage(ServerProcess node, SteadyLoad load, LoopProbe probe) throws Exception {
        int notices = load.staleNotices().size();
        probe.reset();
        // The control: the same load on the same machine with its brokers.
        TimeUnit.SECONDS.sleep(4);
        long pingBeforeMillis = probe.pingMillis();
        probe.reset();
        int before = load.received();
        for (KafkaProcess broker : brokers.all()) {
            broker.kill();
        }
        TimeUnit.SECONDS.sleep(LONG ? 30 : 4);
        assertThat(ready(node)).isEqualTo(503);
        assertThat(ClusterNodes.counter(node, "clusterStale")).isEqualTo(1);
        assertThat(load.staleNotices()).hasSize(notices + 1).last().isEqualTo(true);
        assertThat(load.answered()).as("control: some publishes are unanswered").isLessThan(load.sent());
        for (KafkaProcess broker : brokers.all()) {
            broker.start();
        }
        Await.until("the node is ready again", () -> ready(node) == 200);
        Await.until("messages are delivered again", () -> load.received() > before + PER_SECOND);
        Await.until(
                "subscribers are notified that the node is not stale",
                () -> !load.staleNotices().getLast());
        assertThat(load.staleNotices()).hasSize(notices + 2);
        long machineMillis = Math.max(pingBeforeMillis, probe.napMillis());
        long excessMillis = probe.pingMillis() - machineMillis;
        System.out.println("all brokers down: " + load.sent() + " sent, " + load.answers() + ", " + load.received()
                + " delivered, a ping waited " + probe.pingMillis() + " ms at most, the machine's own part "
                + machineMillis + " ms, loop lag of the last minute " + lagMillis(node) + " ms");
        return LONG ? Math.max(excessMillis, lagMillis(node) - machineMillis) : excessMillis;
    }

    private static long lagMillis(ServerProcess node) {
        long longest = 0;
        for (JsonNode each : node.stats().path("workgroups")) {
            longest = Math.max(longest, each.path("loopLagMicros").path("max").asLong() / 1000);
        }
        return longest;
    }

    /** The control: the probe detects a server that stalls for a moment. */
    private static void requireProbeDetectsStall(ServerProcess node, LoopProbe probe) throws InterruptedException {
        probe.reset();
        node.hold(true);
        TimeUnit.MILLISECONDS.sleep(200);
        node.hold(false);
        Await.until("the stall is detected", () -> probe.pingMillis() >= 150);
    }

    // ---- a node cut off from the others ----

    @Test
    void aNodeCutOffFromKafkaReportsItAndMissesNothing() throws Exception {
        String[] settings = cluster.settings(
                "Kafka.PublishTime=1s",
                "Kafka.producer.delivery.timeout.ms=2500",
                "Kafka.producer.request.timeout.ms=2000");
        String detours = String.join(
                ",", DETOURS.stream().map(each -> "127.0.0.1:" + each.port()).toList());
        try (ServerProcess far = ServerProcess.startUnwatched(with(settings, "Kafka.Brokers=" + detours));
                ServerProcess near = ServerProcess.startUnwatched(settings);
                TestClient atFar = TestClient.open(far, WireEncoding.JSON);
                TestClient atNear = TestClient.open(near, WireEncoding.BINARY);
                TestClient toFar = TestClient.open(far, WireEncoding.BINARY);
                TestClient toNear = TestClient.open(near, WireEncoding.JSON)) {
            atFar.subscribe("/cut");
            atNear.subscribe("/cut");
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                toFar.publish("/cut", "far" + i);
                toNear.publish("/cut", "near" + i);
                expected.addAll(List.of("far" + i, "near" + i));
            }
            BETWEEN.hold(true);
            List<Position> meanwhile = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                meanwhile.add(toNear.publish("/cut", "meanwhile" + i));
                expected.add("meanwhile" + i);
            }
            toFar.send(1, "/cut", "refused", false, "id-1");
            assertThat(toFar.expect(Event.Failed.class).code()).isIn("publish-unknown", "cluster-unreachable");
            Await.until("the node is not ready", () -> ready(far) == 503);
            assertThat(ready(near)).as("control: other node is ready").isEqualTo(200);
            try (Http http = Http.to(far.port())) {
                assertThat(http.get("/history?subject=/cut&count=100").body())
                        .as("control: node is cut off")
                        .doesNotContain("meanwhile");
            }
            BETWEEN.hold(false);
            Await.until("the node is ready again", () -> ready(far) == 200);
            assertThat(atFar.data(expected.size())).isEqualTo(expected);
            assertThat(atNear.data(expected.size())).isEqualTo(expected);
            try (TestClient fromNear = TestClient.open(far, WireEncoding.JSON)) {
                assertThat(fromNear.resume("/cut", meanwhile.get(19)).recovery())
                        .isEqualTo(Recovery.COMPLETE);
                assertThat(fromNear.data(30)).isEqualTo(expected.subList(expected.size() - 30, expected.size()));
            }
            Await.until("the publish is accepted", () -> isTaken(toFar, "refused", "id-1"));
            assertThat(atNear.data(1)).containsExactly("refused");
            assertThat(atFar.data(1)).containsExactly("refused");
            Await.until("the client is notified", () -> heard(atFar).equals(List.of(true, false)));
            assertThat(atNear.staleNotices()).isEmpty();
        }
    }

    /** Returns the notices that arrived before the answer to a ping. */
    private static List<Boolean> heard(TestClient client) {
        client.ping(1);
        client.expect(Event.Pong.class);
        return client.staleNotices();
    }

    private static String[] with(String[] settings, String more) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add(more);
        return all.toArray(String[]::new);
    }

    private static boolean isTaken(TestClient publisher, String data, String msgId) {
        publisher.send(1, "/cut", data, false, msgId);
        return publisher.next() instanceof Event.Published;
    }

    // ---- a truncated log ----

    @Test
    void aTruncatedLogIsAnAnnouncedGapAndNeverAMixedHistory() throws Exception {
        try (Admin admin = cluster.admin()) {
            // The topic has one replica, so no other broker can restore the truncated messages.
            admin.createTopics(List.of(new NewTopic(cluster.topic(), 1, (short) 1)))
                    .all()
                    .get();
        }
        List<Position> positions = new ArrayList<>();
        try (ServerProcess node = cluster.start("Kafka.Partitions=1");
                TestClient publisher = TestClient.open(node, WireEncoding.JSON)) {
            node.expectErrors();
            for (int i = 0; i < 100; i++) {
                positions.add(publisher.publish("/lost", "old" + i));
            }
            truncateLog();
            Await.until("the node stops", () -> node.logText().contains("the log was replaced or truncated"));
            assertThat(publisher.end())
                    .as("close code that sends clients to another node")
                    .isEqualTo(1001);
        }
        try (ServerProcess node = cluster.start("Kafka.Partitions=1");
                TestClient publisher = TestClient.open(node, WireEncoding.JSON)) {
            // A seq is the offset plus one, with the leader epoch in its upper bits.
            int left = (int) (publisher.publish("/lost", "new0").seq() & ((1L << 40) - 1)) - 1;
            assertThat(left).as("number of remaining messages").isBetween(1, 98);
            requireOneHistory(node, positions, left, 1);
            for (int i = 1; i < 150; i++) {
                publisher.publish("/lost", "new" + i);
            }
            requireOneHistory(node, positions, left, 150);
        }
    }

    /** Truncates the log as a power failure does that loses unsynced writes. */
    private void truncateLog() throws IOException {
        for (KafkaProcess broker : brokers.all()) {
            Path log = folder.resolve("broker-" + (brokers.all().indexOf(broker) + 1) + "/data/" + cluster.topic()
                    + "-0/00000000000000000000.log");
            if (Files.exists(log)) {
                broker.kill();
                try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
                    file.truncate(file.size() / 2);
                }
                broker.start();
                broker.awaitStarted(60);
            }
        }
    }

    /**
     * Requires a gap for positions of the old log whose messages were truncated, and no gap for the other positions.
     */
    private static void requireOneHistory(ServerProcess node, List<Position> positions, int left, int added) {
        List<String> log = IntStream.range(0, left + added)
                .mapToObj(i -> i < left ? "old" + i : "new" + (i - left))
                .toList();
        for (int had : List.of(left - 1, left, left + 1, 99)) {
            try (TestClient client = TestClient.open(node, WireEncoding.BINARY)) {
                Event.Subscribed subscribed = client.resume("/lost", positions.get(had));
                if (had < left) {
                    assertThat(subscribed.recovery()).isEqualTo(Recovery.COMPLETE);
                    assertThat(client.data(log.size() - had - 1)).isEqualTo(log.subList(had + 1, log.size()));
                } else {
                    assertThat(subscribed.recovery())
                            .as("had " + had + " of " + left)
                            .isEqualTo(Recovery.GAP);
                    client.expect(Event.Gap.class);
                    // The client already had the remaining part of the old log.
                    assertThat(client.data(added)).isEqualTo(log.subList(left, log.size()));
                }
            }
        }
    }
}
