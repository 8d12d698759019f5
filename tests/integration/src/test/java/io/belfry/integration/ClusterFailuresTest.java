package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.BelfryClient;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.MessageListener;
import io.belfry.cluster.Broker;
import io.belfry.cluster.Brokers;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Nodes and brokers that die or stand still under load. {@code belfry.cluster.seconds} makes the run longer, {@code
 * belfry.cluster.brokers} has three brokers instead of one.
 */
final class ClusterFailuresTest {
    private static final int SECONDS = Integer.getInteger("belfry.cluster.seconds", 8);
    private static final int BROKERS = Integer.getInteger("belfry.cluster.brokers", 1);
    private static final int SUBSCRIBERS = 4;
    private static final int PUBLISHERS = 3;
    private static final List<String> SUBJECTS = List.of("/c/0", "/c/1", "/c/2", "/c/3", "/c/4");

    private static Brokers brokers;
    private ClusterNodes cluster;

    @BeforeAll
    static void start() throws IOException {
        brokers = Brokers.start(Machine.root(), Files.createTempDirectory(Machine.target(), "brokers"), BROKERS);
    }

    @AfterAll
    static void stop() {
        brokers.close();
    }

    @BeforeEach
    void takeTopic() {
        cluster = ClusterNodes.on(brokers);
    }

    /** What one application sees. */
    private static final class Seen implements MessageListener {
        private final Map<String, List<String>> messages = new ConcurrentHashMap<>();
        private final List<String> faults = new CopyOnWriteArrayList<>();

        @Override
        public void onMessage(Message message) {
            if (message.type() != MessageType.SNAPSHOT) {
                messages.computeIfAbsent(message.subject(), subject -> Collections.synchronizedList(new ArrayList<>()))
                        .add(message.text());
            }
        }

        int count() {
            return messages.values().stream().mapToInt(List::size).sum();
        }

        @Override
        public void onGap(Gap gap) {
            faults.add(gap.toString());
        }
    }

    @Test
    void nothingIsLostDoubledOrOutOfOrderWhateverDies() throws Exception {
        List<RestartedServer> nodes = new ArrayList<>();
        List<CuttingProxy> ways = new ArrayList<>();
        List<BelfryClient> clients = new ArrayList<>();
        List<Seen> seen = new ArrayList<>();
        Random random = new Random(11);
        try {
            for (int i = 0; i < 2; i++) {
                RestartedServer node = new RestartedServer(cluster.settings());
                nodes.add(node);
                ways.add(new CuttingProxy(node::port, Weather.FAIR));
            }
            int[] ports = ways.stream().mapToInt(CuttingProxy::port).toArray();
            for (int i = 0; i < SUBSCRIBERS; i++) {
                Seen sees = new Seen();
                seen.add(sees);
                BelfryClient client =
                        (i % 2 == 0 ? JavaWay.BINARY : JavaWay.JSON).to(ports).build();
                clients.add(client);
                SUBJECTS.forEach(subject -> client.subscribe(subject, sees));
                client.start();
            }
            Publishing publishing = new Publishing(ports);
            Await.until("it is so", () -> seen.stream().allMatch(each -> each.messages.size() == SUBJECTS.size()));
            int deaths = 0;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            while (System.nanoTime() - end < 0) {
                Broker broker = brokers.all().get(random.nextInt(BROKERS));
                switch (deaths++ % 3) {
                    case 0 -> {
                        RestartedServer node = nodes.get(random.nextInt(nodes.size()));
                        node.kill();
                        TimeUnit.MILLISECONDS.sleep(500);
                        node.start();
                    }
                    case 1 -> {
                        RestartedServer node = nodes.get(random.nextInt(nodes.size()));
                        node.stop();
                        node.start();
                    }
                    default -> {
                        broker.kill();
                        TimeUnit.MILLISECONDS.sleep(500);
                        broker.start();
                        broker.awaitStarted(60);
                    }
                }
                TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(1000));
            }
            Map<String, List<String>> published = publishing.finish();
            awaitAll(seen, published);
            for (Seen each : seen) {
                assertThat(each.faults).isEmpty();
                assertThat(each.messages).as("the same order for all").isEqualTo(seen.getFirst().messages);
            }
            requireEachOnceAndInOrder(seen.getFirst().messages, published);
            assertThat(publishing.faults).isEmpty();
        } finally {
            clients.forEach(BelfryClient::close);
            ways.forEach(CuttingProxy::close);
            nodes.forEach(RestartedServer::close);
        }
    }

    private static void awaitAll(List<Seen> seen, Map<String, List<String>> published) {
        int wanted = published.values().stream().mapToInt(List::size).sum();
        try {
            Await.until("everybody has all", () -> seen.stream().allMatch(each -> each.count() >= wanted));
        } catch (AssertionError late) {
            throw new AssertionError(
                    "of " + wanted + " they have "
                            + seen.stream().map(Seen::count).toList() + ", faults "
                            + seen.stream().map(each -> each.faults).toList(),
                    late);
        }
    }

    private static void requireEachOnceAndInOrder(
            Map<String, List<String>> messages, Map<String, List<String>> published) {
        messages.forEach((subject, each) -> {
            assertThat(new HashSet<>(each)).as("doubled on " + subject).hasSameSizeAs(each);
            for (int publisher = 0; publisher < PUBLISHERS; publisher++) {
                String of = publisher + "-";
                assertThat(each.stream().filter(text -> text.startsWith(of)))
                        .as("of one publisher on " + subject)
                        .containsExactlyElementsOf(published.getOrDefault(subject, List.of()).stream()
                                .filter(text -> text.startsWith(of))
                                .toList());
            }
        });
    }

    /** Publishers that wait for each answer before they publish the next. */
    private static final class Publishing {
        private final List<String> faults = new CopyOnWriteArrayList<>();
        private final Map<String, List<String>> published = new HashMap<>();
        private final List<Thread> threads;
        private volatile boolean finishing;

        Publishing(int[] ports) {
            SUBJECTS.forEach(subject -> published.put(subject, Collections.synchronizedList(new ArrayList<>())));
            threads = IntStream.range(0, PUBLISHERS)
                    .mapToObj(i -> Thread.ofPlatform().start(() -> publish(i, ports)))
                    .toList();
        }

        private void publish(int publisher, int[] ports) {
            try (BelfryClient client = JavaWay.BINARY.to(ports).build().start()) {
                for (int i = 0; !finishing; i++) {
                    String subject = SUBJECTS.get(i % SUBJECTS.size());
                    String text = publisher + "-" + i;
                    client.publish(subject, text).get(60, TimeUnit.SECONDS);
                    published.getOrDefault(subject, List.of()).add(text);
                    TimeUnit.MILLISECONDS.sleep(2);
                }
            } catch (Exception failure) {
                faults.add("publisher " + publisher + ": " + failure);
            }
        }

        Map<String, List<String>> finish() throws InterruptedException {
            finishing = true;
            for (Thread each : threads) {
                each.join();
            }
            return published;
        }
    }

    /** Under a delivery timeout that is shorter than the broker stands still. */
    @Test
    void aBrokerThatStandsStillLeavesNoHoleAndNoDouble() throws Exception {
        try (ServerProcess node = cluster.start(
                        "Kafka.PublishTime=2s",
                        "Kafka.producer.delivery.timeout.ms=2500",
                        "Kafka.producer.request.timeout.ms=1500");
                Client reader = Client.open(node, Encoding.JSON);
                Client publisher = Client.open(node, Encoding.JSON);
                Http health = Http.to(node.monitorHttpPort())) {
            reader.subscribe("/still");
            Event.Message before = publishAndRead(publisher, reader, "before");
            Broker broker = brokers.all().getFirst();
            for (Broker each : brokers.all()) {
                each.hold(true);
            }
            AtomicInteger accepted = new AtomicInteger();
            Map<String, Integer> failures = new HashMap<>();
            int sent = 40;
            for (int i = 0; i < sent; i++) {
                publisher.send(100 + i, "/still", "m" + i, false, "id-" + i);
                TimeUnit.MILLISECONDS.sleep(60);
            }
            Await.until("it is so", () -> health.get("/health/ready").status() == 503);
            for (int i = 0; i < sent; i++) {
                switch (publisher.next()) {
                    case Event.Published published -> accepted.incrementAndGet();
                    case Event.Failed failed -> failures.merge(failed.code(), 1, Integer::sum);
                    default -> throw new AssertionError("only answers come");
                }
            }
            assertThat(accepted).as("none after the first failure").hasValue(0);
            assertThat(failures).containsOnlyKeys("publish-unknown", "cluster-unreachable");
            for (Broker each : brokers.all()) {
                each.hold(false);
            }
            Await.until("it is so", () -> health.get("/health/ready").status() == 200);
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < sent; i++) {
                publisher.send(200 + i, "/still", "m" + i, false, "id-" + i);
                publisher.expect(Event.Published.class);
                expected.add("m" + i);
            }
            assertThat(reader.data(sent)).containsExactlyInAnyOrderElementsOf(expected);
            Event.Message after = publishAndRead(publisher, reader, "after");
            assertThat(after.at().epoch()).isEqualTo(before.at().epoch());
            assertThat(ClusterNodes.counter(node, "clusterProducerRestarts")).isPositive();
            assertThat(broker.pid()).isPositive();
        }
    }

    private static Event.Message publishAndRead(Client publisher, Client reader, String data) {
        publisher.publish("/still", data);
        Event.Message message = reader.expect(Event.Message.class);
        assertThat(message.data()).isEqualTo(data);
        return message;
    }

    @Test
    void aTopicThatIsCreatedAnewIsAnotherEpoch() throws Exception {
        Position old;
        Map<String, Object> settings = Map.of("bootstrap.servers", brokers.addresses());
        try (ServerProcess node = cluster.start();
                Client publisher = Client.open(node, Encoding.JSON)) {
            node.expectErrors();
            for (int i = 0; i < 5; i++) {
                publisher.publish("/again", "old");
            }
            old = publisher.publish("/again", "old");
            try (Admin admin = Admin.create(settings)) {
                admin.deleteTopics(List.of(cluster.topic())).all().get();
            }
            Await.until("the node stops", () -> node.logText().contains("was deleted"));
            assertThat(publisher.end()).as("told to go elsewhere").isEqualTo(1001);
        }
        try (ServerProcess node = cluster.start();
                Client client = Client.open(node, Encoding.JSON)) {
            for (int i = 0; i < 10; i++) {
                client.publish("/again", "new");
            }
            assertThat(client.resume("/again", old).recovery()).isEqualTo(Recovery.GAP);
            Event.Gap gap = client.expect(Event.Gap.class);
            assertThat(gap.reason()).isEqualTo("epoch-changed");
            assertThat(client.data(10)).containsOnly("new");
        }
    }

    /** The control of what is told once: the log itself has it twice. */
    @Test
    void whatIsPublishedOnTwoNodesAtOnceIsInTheLogTwiceAndComesOnce() {
        try (ServerProcess a = cluster.start();
                ServerProcess b = cluster.start();
                Client reader = Client.open(b, Encoding.JSON);
                Client toA = Client.open(a, Encoding.JSON);
                Client toB = Client.open(b, Encoding.BINARY)) {
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
                Await.until("it is so", () -> ClusterNodes.counter(node, "clusterDuplicates") > 0);
            }
        }
    }
}
