package io.belfry.integration;

import io.belfry.cluster.Brokers;
import io.belfry.cluster.KafkaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;

/** Settings of nodes that share one topic. Immutable. */
public record ClusterNodes(String brokers, String topic) {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    /** Starts this number of brokers in a folder of their own. */
    public static Brokers startBrokers(int count) throws IOException {
        return Brokers.start(TestMachine.root(), Files.createTempDirectory(TestMachine.target(), "brokers"), count);
    }

    public static ClusterNodes on(Brokers brokers) {
        return new ClusterNodes(brokers.addresses(), "test-" + TOPICS.incrementAndGet());
    }

    /** Returns the settings common to all nodes, followed by these. */
    public String[] settings(String... sets) {
        List<String> all = new ArrayList<>(List.of(
                "ClusterEngine=kafka",
                "Kafka.Brokers=" + brokers,
                "Kafka.Topic=" + topic,
                "Kafka.Partitions=4",
                "Kafka.Replication=" + brokers.split(",", -1).length,
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorHTTP.Authentication=false"));
        all.addAll(Arrays.asList(sets));
        return all.toArray(String[]::new);
    }

    ServerProcess start(String... sets) {
        return ServerProcess.startWatched(settings(sets));
    }

    /** Returns a counter of a node from its HTTP monitor. */
    static long counter(TestServer node, String name) {
        return node.stats().path("counters").path(name).asLong();
    }

    /** Creates a client of Kafka's admin interface, which reads the brokers' state without a node. */
    Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", brokers));
    }

    List<TopicPartitionInfo> partitions(Admin admin) throws ExecutionException, InterruptedException {
        Map<String, TopicDescription> found =
                admin.describeTopics(List.of(topic)).allTopicNames().get();
        return Objects.requireNonNull(found.get(topic)).partitions();
    }

    /** Returns the same brokers with the topic of the retained messages. */
    ClusterNodes retained() {
        return new ClusterNodes(brokers, topic + ".retained");
    }

    /** Returns the broker that leads the first partition now. */
    KafkaProcess leader(Brokers of) throws ExecutionException, InterruptedException {
        try (Admin admin = admin()) {
            return of.all().get(partitions(admin).getFirst().leader().id() - 1);
        }
    }
}
