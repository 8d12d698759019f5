package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.cluster.Brokers;
import io.belfry.cluster.KafkaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Kills three brokers and three nodes: each once, or for 90 s with {@code -Dbelfry.cluster.proof=long}, or for the
 * time that {@code -Dbelfry.cluster.seconds} sets. After that it upgrades one node, or all nodes in turn.
 */
@Tag("complete")
final class ClusterDeathsTest {
    private static final boolean LONG =
            System.getProperty("belfry.cluster.proof", "").equals("long");
    private static final int SECONDS = Integer.getInteger("belfry.cluster.seconds", LONG ? 90 : 1);

    private static final long DRAIN_MILLIS = 1000;

    /** More messages than are published while a client looks for another node. */
    private static final String ROOMY = "CacheSize=100000";

    private static Brokers brokers;
    private ClusterNodes cluster;
    private int killed;

    @BeforeAll
    static void start() throws IOException {
        brokers = ClusterNodes.startBrokers(3);
    }

    @AfterAll
    static void stop() {
        brokers.close();
    }

    @BeforeEach
    void takeTopic() {
        cluster = ClusterNodes.on(brokers);
    }

    @Test
    void killedNodesAndBrokersCauseNoLossDuplicateOrDisorder() throws Exception {
        try (ClusterRun run = new ClusterRun(cluster, new ClusterRun.Cast(3, 4, 6), ROOMY)) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            int round = 0;
            do {
                killRound(run, round++);
            } while (System.nanoTime() - end < 0);
            for (int node = 0; node < (LONG ? 3 : 1); node++) {
                upgrade(run, run.node(node));
            }
            List<String> faults = run.finish();
            System.out.println("deaths: " + run.account() + ", " + killed + " brokers killed");
            assertThat(faults).isEmpty();
            assertThat(killed).isPositive();
        }
    }

    /**
     * Kills a node, then a broker and another node at once. Each is restarted after the others had to work without it.
     */
    private void killRound(ClusterRun run, int round) throws Exception {
        RestartedServer first = run.node(round % 3);
        first.kill();
        awaitMore(run);
        first.start();
        KafkaProcess broker = brokers.all().get(round % 3);
        RestartedServer second = run.node((round + 1) % 3);
        broker.kill();
        killed++;
        second.kill();
        awaitMore(run);
        broker.start();
        second.start();
        broker.awaitStarted(60);
        awaitInSync();
        awaitMore(run);
    }

    /** Drains a node before its stop, so that its sessions move to the others first. */
    private static void upgrade(ClusterRun run, RestartedServer node) {
        node.drain(DRAIN_MILLIS);
        Await.until("all sessions have left", () -> node.sessions() == 0);
        node.stop();
        awaitMore(run);
        node.start();
        awaitMore(run);
    }

    private static void awaitMore(ClusterRun run) {
        int had = run.delivered();
        Await.until("messages are delivered again", () -> run.delivered() > had + 500);
    }

    /**
     * The control: without duplicate detection the same run shows duplicates, because all pending publishes die at
     * once.
     */
    @Tag("control")
    @Test
    void withoutTheFilterTheSameRunFindsDuplicates() throws Exception {
        try (ClusterRun run = new ClusterRun(cluster, new ClusterRun.Cast(1, 4, 2), ROOMY, "Kafka.RepeatTime=1ms")) {
            // Several deaths, because at a single one no publish may be pending.
            for (int deaths = 0; deaths < 3; deaths++) {
                run.node(0).kill();
                run.node(0).start();
                awaitMore(run);
            }
            assertThat(run.finish()).anyMatch(fault -> fault.startsWith("duplicate"));
        }
    }

    /** Outcome of messages that were published while a leader was alone and then died. */
    private record Alone(int acknowledged, Set<String> lost) {}

    @Test
    void acknowledgedMessagesSurviveTheirBroker() throws Exception {
        try (ServerProcess node = ServerProcess.startUnwatched(cluster.settings("Kafka.Partitions=1"))) {
            Alone alone = publishToALeaderThatDies(node);
            assertThat(alone.acknowledged())
                    .as("publishes acknowledged late by the next leader")
                    .isEqualTo(50);
            assertThat(alone.lost()).isEmpty();
        }
    }

    /** The control: a server that acknowledges messages which only one broker has and no node has read. */
    @Tag("control")
    @Test
    void oneAcknowledgementLosesAcknowledgedMessages() throws Exception {
        try (ServerProcess node = Mutant.ONE_BROKER_IS_ENOUGH.start(cluster.settings("Kafka.Partitions=1"))) {
            assertThat(publishToALeaderThatDies(node).lost()).isNotEmpty();
        }
    }

    private Alone publishToALeaderThatDies(ServerProcess node) throws Exception {
        try (TestClient publisher = TestClient.open(node, WireEncoding.BINARY);
                Http http = Http.to(node.port())) {
            http.post("/publish?subject=/alone", "before");
            Await.until("the message is in the history", () -> history(http).contains("before"));
            KafkaProcess leader = cluster.leader(brokers);
            List<KafkaProcess> others =
                    brokers.all().stream().filter(each -> each != leader).toList();
            hold(others, true);
            for (int i = 0; i < 50; i++) {
                publisher.send("/alone", "m" + i);
                TimeUnit.MILLISECONDS.sleep(10);
            }
            leader.kill();
            try {
                hold(others, false);
                Set<String> acknowledged = new HashSet<>();
                for (int i = 0; i < 50; i++) {
                    if (publisher.next() instanceof Event.Published) {
                        acknowledged.add("m" + i);
                    }
                }
                publisher.publish("/alone", "after");
                Await.until("the message is in the history", () -> history(http).contains("after"));
                Set<String> lost = new HashSet<>(acknowledged);
                lost.removeAll(history(http));
                return new Alone(acknowledged.size(), lost);
            } finally {
                // The following tests need these brokers in every case.
                leader.start();
                leader.awaitStarted(60);
                awaitInSync();
            }
        }
    }

    private static List<String> history(Http http) {
        List<String> texts = new ArrayList<>();
        for (JsonNode each :
                http.get("/history?subject=/alone&count=100").json().path("messages")) {
            texts.add(each.path("data").asText());
        }
        return texts;
    }

    private static void hold(List<KafkaProcess> held, boolean hold) throws IOException {
        for (KafkaProcess each : held) {
            each.hold(hold);
        }
    }

    /** Waits until each broker has all messages of this topic. */
    private void awaitInSync() {
        try (Admin admin = cluster.admin()) {
            Await.until(
                    "all brokers are in sync",
                    Await.LONG,
                    () -> cluster.partitions(admin).stream()
                            .allMatch(each -> each.isr().size() == brokers.all().size()));
        }
    }

    /** Stops two of three brokers; later a single broker is dead and the topic requires all three. */
    @Test
    void publishesAreRefusedWhileTooFewBrokersAreInSync() throws Exception {
        ClusterNodes strict = ClusterNodes.on(brokers);
        try (Admin admin = cluster.admin()) {
            NewTopic topic = new NewTopic(strict.topic(), 1, (short) 3).configs(Map.of("min.insync.replicas", "3"));
            admin.createTopics(List.of(topic)).all().get();
        }
        String[] hasty = {
            "Kafka.Partitions=1",
            "Kafka.PublishTime=2s",
            "Kafka.producer.delivery.timeout.ms=2500",
            "Kafka.producer.request.timeout.ms=1500"
        };
        try (ServerProcess ofTwo = ServerProcess.startUnwatched(cluster.settings(hasty));
                ServerProcess ofThree = ServerProcess.startUnwatched(strict.settings(hasty));
                Few toTwo = new Few(ofTwo);
                Few toThree = new Few(ofThree)) {
            List<KafkaProcess> two = brokers.all().subList(0, 2);
            hold(two, true);
            toTwo.isRefused();
            toThree.isRefused();
            hold(two, false);
            toTwo.isTaken();
            toThree.isTaken();
            KafkaProcess dead = brokers.all().getLast();
            dead.kill();
            // The control: where two replicas are enough the publish is accepted, after the delay that the death
            // itself causes.
            toTwo.isTaken();
            toThree.isRefused();
            dead.start();
            dead.awaitStarted(60);
            toThree.isTaken();
            toTwo.hasAllOnce();
            toThree.hasAllOnce();
        }
    }

    /** A publisher and a reader with a node between them. */
    private static final class Few implements AutoCloseable {
        private static final Set<String> REFUSALS = Set.of("publish-unknown", "cluster-unreachable");
        private final ServerProcess node;
        private final TestClient publisher;
        private final TestClient reader;
        private final List<String> taken = new ArrayList<>();
        private int next;

        Few(ServerProcess node) {
            this.node = node;
            publisher = TestClient.open(node, WireEncoding.JSON);
            reader = TestClient.open(node, WireEncoding.BINARY);
            reader.subscribe("/few");
        }

        private @Nullable String refusal(int number) {
            publisher.send(number, "/few", "m" + number, false, "id-" + number);
            return switch (answer()) {
                case Event.Published published -> null;
                case Event.Failed failed -> failed.code();
                default -> throw new AssertionError("unexpected event for a publisher");
            };
        }

        /** Returns the answer to the publish; without one the state of the node explains the failure. */
        private Event answer() {
            try {
                return publisher.next();
            } catch (UncheckedIOException | AssertionError silent) {
                throw new AssertionError("no answer; " + node.stats() + "\n" + node.logText(), silent);
            }
        }

        void isRefused() {
            assertThat(refusal(next)).isIn(REFUSALS);
        }

        /** Repeats the same publish until it is accepted. */
        void isTaken() {
            Await.until("the publish is accepted", () -> refusal(next) == null);
            taken.add("m" + next++);
        }

        void hasAllOnce() {
            assertThat(reader.data(taken.size())).isEqualTo(taken);
            publisher.publish("/few", "last");
            assertThat(reader.data(1)).containsExactly("last");
        }

        @Override
        public void close() {
            publisher.close();
            reader.close();
        }
    }
}
