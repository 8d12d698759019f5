package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.cluster.Brokers;
import io.belfry.cluster.KafkaProcess;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests a stalled broker, replaced topics, and numbers of partitions. With {@code -Dbelfry.cluster.proof=long} there are three brokers, and the
 * leader stalls for 6 s under a delivery timeout of 4 s. Otherwise there is one broker, and the times are about half.
 */
@Tag("complete")
final class ClusterFailuresTest {
    private static final boolean LONG =
            System.getProperty("belfry.cluster.proof", "").equals("long");
    private static final long STILL_MILLIS = LONG ? 6000 : 3400;
    private static final long DELIVERY_MILLIS = LONG ? 4000 : 2000;
    private static final int STALLS_MAX = 5;
    private static final String FIRST = "first";

    private static Brokers brokers;
    private ClusterNodes cluster;

    @BeforeAll
    static void start() throws IOException {
        brokers = ClusterNodes.startBrokers(LONG ? 3 : 1);
    }

    @AfterAll
    static void stop() {
        brokers.close();
    }

    @BeforeEach
    void takeTopic() {
        cluster = ClusterNodes.on(brokers);
    }

    // ---- a stalled broker ----

    private String[] hasty() {
        return cluster.settings(
                "Kafka.Partitions=1",
                "Kafka.producer.delivery.timeout.ms=" + DELIVERY_MILLIS,
                // The producer gives up before it retries at the next leader.
                "Kafka.producer.request.timeout.ms=" + (DELIVERY_MILLIS - 10));
    }

    /** Publishes in sequence without waiting for answers; records the outcome of each publish. */
    private static final class Stream {
        private static final long EACH_MILLIS = 20;

        private final TestClient publisher;
        private final List<@Nullable String> failures;
        private final Thread hearing;
        private int sent;

        Stream(TestClient publisher, long millis) {
            this.publisher = publisher;
            failures = new ArrayList<>(Collections.nCopies((int) (millis / EACH_MILLIS), "unanswered"));
            hearing = Thread.ofPlatform().start(this::onEvent);
        }

        void send(long millis) throws InterruptedException {
            for (long end = sent + millis / EACH_MILLIS; sent < end; sent++) {
                publisher.send(sent, "/still", data(sent), false, "id-" + sent);
                TimeUnit.MILLISECONDS.sleep(EACH_MILLIS);
            }
        }

        static String data(int number) {
            return "m" + number;
        }

        private void onEvent() {
            for (int i = 0; i < failures.size(); i++) {
                switch (publisher.next()) {
                    case Event.Published published -> failures.set((int) published.id(), null);
                    case Event.Failed failed -> failures.set((int) failed.id(), failed.code());
                    default -> throw new AssertionError("unexpected event for a publisher");
                }
            }
        }

        List<String> codes() {
            return failures.stream().filter(Objects::nonNull).distinct().toList();
        }

        List<Integer> failed() {
            return IntStream.range(0, failures.size())
                    .filter(number -> failures.get(number) != null)
                    .boxed()
                    .toList();
        }

        /**
         * Returns the accepted publishes after a failed one that the same producer wrote as those before it: the messages that
         * follow a hole. {@code producers} has the producer of each message in the log.
         */
        List<Integer> afterAHole(Map<String, Long> producers) {
            Long before = producers.get(FIRST);
            return IntStream.range(failed().getFirst(), failures.size())
                    .filter(number -> failures.get(number) == null)
                    .filter(number -> Objects.equals(producers.get(data(number)), before))
                    .boxed()
                    .toList();
        }
    }

    /** Stalls the broker that leads the subject's partition, publishes meanwhile, and collects all answers. */
    private Stream publishWhileStalled(TestClient publisher) throws Exception {
        publisher.publish("/still", FIRST);
        KafkaProcess held = cluster.leader(brokers);
        Stream stream = new Stream(publisher, 200 + STILL_MILLIS + 200);
        stream.send(200);
        held.hold(true);
        stream.send(STILL_MILLIS);
        held.hold(false);
        stream.send(200);
        stream.hearing.join();
        return stream;
    }

    /** Returns the id of the producer that wrote each message first, as the broker stored it. */
    private Map<String, Long> producers() throws Exception {
        Path log = cluster.leader(brokers).partitionFolder(cluster.topic(), 0).resolve("00000000000000000000.log");
        Map<String, Long> producers = new HashMap<>();
        try (FileRecords records = FileRecords.open(log.toFile(), false)) {
            for (RecordBatch batch : records.batches()) {
                for (Record each : batch) {
                    String data = StandardCharsets.UTF_8.decode(each.value()).toString();
                    producers.putIfAbsent(data, batch.producerId());
                }
            }
        }
        return producers;
    }

    @Test
    void aStalledBrokerCausesNoHoleAndNoDuplicate() throws Exception {
        try (ServerProcess node = ServerProcess.startUnwatched(hasty());
                TestClient reader = TestClient.open(node, WireEncoding.JSON);
                TestClient publisher = TestClient.open(node, WireEncoding.JSON)) {
            reader.subscribe("/still");
            Stream stream = publishWhileStalled(publisher);
            assertThat(stream.failed()).isNotEmpty();
            assertThat(stream.codes()).isSubsetOf("publish-unknown", "cluster-unreachable");
            assertThat(stream.afterAHole(producers()))
                    .as("publishes that the producer wrote after its failure")
                    .isEmpty();
            for (int number : stream.failed()) {
                publisher.send(number, "/still", Stream.data(number), false, "id-" + number);
                publisher.expect(Event.Published.class);
            }
            assertThat(reader.data(1)).containsExactly(FIRST);
            List<String> expected = IntStream.range(0, stream.failures.size())
                    .mapToObj(Stream::data)
                    .toList();
            assertThat(reader.data(expected.size())).containsExactlyInAnyOrderElementsOf(expected);
            publisher.publish("/still", "last");
            assertThat(reader.data(1)).containsExactly("last");
            assertThat(ClusterNodes.counter(node, "clusterProducerRestarts")).isPositive();
        }
    }

    /**
     * The control: a producer that does not stop at a failure writes the messages that follow the failed one. Whether a message
     * fails between two others depends on the moment of the stall, so there are several.
     */
    @Tag("control")
    @Test
    void withoutFailStopAStalledBrokerCausesHoles() throws Exception {
        List<Integer> afterAHole = List.of();
        for (int stall = 0; stall < STALLS_MAX && afterAHole.isEmpty(); stall++) {
            try (ServerProcess node = Mutant.NO_FAIL_STOP.start(hasty());
                    TestClient publisher = TestClient.open(node, WireEncoding.JSON)) {
                afterAHole = publishWhileStalled(publisher).afterAHole(producers());
            }
        }
        assertThat(afterAHole).isNotEmpty();
    }

    // ---- a replaced topic ----

    @Test
    void aRecreatedTopicBeginsAnotherEpoch() throws Exception {
        Position old;
        try (ServerProcess node = cluster.start();
                TestClient publisher = TestClient.open(node, WireEncoding.JSON)) {
            node.expectErrors();
            for (int i = 0; i < 5; i++) {
                publisher.publish("/again", "old");
            }
            old = publisher.publish("/again", "old");
            try (Admin admin = cluster.admin()) {
                admin.deleteTopics(List.of(cluster.topic())).all().get();
            }
            Await.until("the node stops", () -> node.logText().contains("was deleted"));
            assertThat(publisher.end())
                    .as("close code that sends clients to another node")
                    .isEqualTo(1001);
        }
        try (ServerProcess node = cluster.start();
                TestClient client = TestClient.open(node, WireEncoding.JSON)) {
            Position first = client.publish("/again", "new");
            assertThat(first.epoch()).isNotEqualTo(old.epoch());
            for (int i = 1; i < 10; i++) {
                client.publish("/again", "new");
            }
            // The control: a position of the current log is accepted.
            try (TestClient knowing = TestClient.open(node, WireEncoding.BINARY)) {
                assertThat(knowing.resume("/again", first).recovery()).isEqualTo(Recovery.COMPLETE);
            }
            assertThat(client.resume("/again", old).recovery()).isEqualTo(Recovery.GAP);
            Event.Gap gap = client.expect(Event.Gap.class);
            assertThat(gap.reason()).isEqualTo("epoch-changed");
            assertThat(client.data(10)).containsOnly("new");
        }
    }

    // ---- repeated publishes ----

    /** The control of the single delivery: the log contains the message twice. */
    @Test
    void aMessagePublishedOnTwoNodesIsDeliveredOnce() {
        try (ServerProcess a = cluster.start();
                ServerProcess b = cluster.start();
                TestClient reader = TestClient.open(b, WireEncoding.JSON);
                TestClient toA = TestClient.open(a, WireEncoding.JSON);
                TestClient toB = TestClient.open(b, WireEncoding.BINARY)) {
            reader.subscribe("/twice");
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                toA.send(1, "/twice", "t" + i, false, "id-" + i);
                toB.send(1, "/twice", "t" + i, false, "id-" + i);
                assertThat(toA.expect(Event.Published.class).at())
                        .isEqualTo(toB.expect(Event.Published.class).at());
                expected.add("t" + i);
            }
            assertThat(reader.data(50)).isEqualTo(expected);
            toA.publish("/twice", "last");
            assertThat(reader.data(1)).containsExactly("last");
            for (ServerProcess node : List.of(a, b)) {
                Await.until("the duplicates are counted", () -> ClusterNodes.counter(node, "clusterDuplicates") > 0);
            }
        }
    }

    // ---- partitions ----

    @Test
    void theBrokersDecideHowManyPartitionsANewTopicHas() throws Exception {
        try (ServerProcess node = cluster.start("Kafka.Partitions=brokers");
                TestClient client = TestClient.open(node, WireEncoding.BINARY);
                Admin admin = cluster.admin()) {
            client.publish("/parted", "first");
            int expected = Math.max(8, 4 * brokers.all().size());
            assertThat(cluster.partitions(admin)).hasSize(expected);
            assertThat(cluster.retained().partitions(admin)).hasSize(expected);
        }
    }

    @Test
    void anExistingTopicKeepsItsNumberOfPartitions() throws Exception {
        new Topics(brokers.addresses()).create(cluster.topic(), 3);
        try (ServerProcess a = cluster.start("Kafka.Partitions=brokers");
                ServerProcess b = cluster.start("Kafka.Partitions=3");
                TestClient reader = TestClient.open(a, WireEncoding.JSON);
                TestClient publisher = TestClient.open(b, WireEncoding.BINARY);
                Admin admin = cluster.admin()) {
            reader.subscribe("/parted");
            publisher.publish("/parted", "first");
            assertThat(reader.data(1)).containsExactly(FIRST);
            assertThat(cluster.retained().partitions(admin)).hasSize(3);
        }
        assertThatThrownBy(() -> cluster.start("Kafka.Partitions=4").close())
                .hasMessageContaining("has 3 partitions, but 4 are required")
                .hasMessageContaining("set Kafka.Partitions to 3");
        try (Admin admin = cluster.admin()) {
            admin.deleteTopics(List.of(cluster.topic())).all().get();
        }
        // The new topic has as many partitions as the topic of retained messages, which still exists.
        cluster.start("Kafka.Partitions=brokers").close();
        try (Admin admin = cluster.admin()) {
            assertThat(cluster.partitions(admin)).hasSize(3);
        }
    }

    @Test
    void aTopicThatTakesOnlySmallMessagesIsReported() {
        String large = "x".repeat(2 << 20);
        String[] sets = {"MaxMessageSize=3 MB", "SlowConsumer.MaxBytes=4 MB"};
        try (ServerProcess node = ClusterNodes.on(brokers).start(sets);
                TestClient client = TestClient.open(node, WireEncoding.BINARY)) {
            client.publish("/large", large);
            assertThat(node.logText()).doesNotContain("too few for MaxMessageSize");
        }
        new Topics(brokers.addresses()).create("narrow", 4);
        try (ServerProcess node = new ClusterNodes(brokers.addresses(), "narrow").start(sets);
                TestClient client = TestClient.open(node, WireEncoding.BINARY)) {
            assertThat(node.logText()).contains("narrow: max.message.bytes is 1048588, too few for MaxMessageSize");
            client.send(1, "/large", large, false, null);
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("publish-unknown");
            // Publishes are refused while the producer restarts.
            Await.until("a smaller message is accepted", () -> {
                client.send(2, "/large", "small", false, null);
                return client.next() instanceof Event.Published;
            });
        }
    }
}
