package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * How this node and the others use Kafka. The maps are what is passed on to Kafka's own clients, to all of them or to one
 * kind; what would break a promise of ours is refused. Immutable; secrets are never shown.
 */
public record KafkaConfig(
        List<String> brokers,
        String topic,
        String retainedTopic,
        List<String> bridges,
        int partitions,
        int replication,
        long startMillis,
        long publishMillis,
        long publishBytes,
        long repeatMillis,
        long staleMillis,
        long restartMillis,
        int quietSubjects,
        int watchedSubjects,
        long presenceMillis,
        Map<String, String> clients,
        Map<String, String> producer,
        Map<String, String> consumer,
        Map<String, String> admin) {
    /** As many partitions as one thread reads without their number being felt. */
    static final int MAX_PARTITIONS = 1024;

    static final int MAX_REPLICATION = 16;

    /** What the name of the topic of retained messages ends with, if no other is written. */
    static final String RETAINED = ".retained";

    private static final Map<String, String> REFUSED_OF_ANY = Map.of(
            "bootstrap.servers", "is written Kafka.Brokers",
            "metadata.recovery.strategy", "stays none, or a publish could stall for as long as no broker answers",
            "key.serializer", "is fixed: keys are subjects",
            "value.serializer", "is fixed: values are data",
            "key.deserializer", "is fixed: keys are subjects",
            "value.deserializer", "is fixed: values are data");

    private static final Map<String, String> REFUSED_OF_PRODUCER = Map.of(
            "acks", "stays all, or an acknowledged message could be lost",
            "enable.idempotence", "stays true, or a message could be written twice or out of order",
            "max.in.flight.requests.per.connection", "stays 5, or messages could be written out of order",
            "transactional.id", "is not used: a message is one record",
            "max.block.ms", "stays 0, since waiting is done in Kafka.PublishBuffer",
            "metadata.max.idle.ms", "stays a day, or the first publish after a pause would fail",
            "max.request.size", "follows MaxMessageSize",
            "partitioner.class", "is fixed: a subject's partition is the same on every node");

    private static final Map<String, String> REFUSED_OF_CONSUMER = Map.of(
            "group.id", "is not used: every node reads every partition",
            "group.protocol", "is not used: every node reads every partition",
            "group.instance.id", "is not used: every node reads every partition",
            "enable.auto.commit", "stays false: a node begins where its cache begins",
            "auto.offset.reset", "stays none, or a gap could be stepped over in silence");

    /** What is not among the libraries of the server. */
    private static final Set<String> COMPRESSIONS_LEFT_OUT = Set.of("zstd", "lz4", "snappy");

    public KafkaConfig {
        brokers = List.copyOf(brokers);
        bridges = List.copyOf(bridges);
        clients = Map.copyOf(clients);
        producer = Map.copyOf(producer);
        consumer = Map.copyOf(consumer);
        admin = Map.copyOf(admin);
        if (brokers.isEmpty()) {
            throw new InvalidSetting(
                    "Kafka.Brokers", "is needed by ClusterEngine = kafka: host:port, or a list of them");
        }
        requireTopic("Kafka.Topic", topic);
        requireTopic("Kafka.RetainedTopic", retainedTopic);
        InvalidSetting.unless(
                !retainedTopic.equals(topic),
                "Kafka.RetainedTopic",
                retainedTopic,
                "must be another than Kafka.Topic: of the one everything is kept for a time, of the other the latest forever");
        requireBridges(bridges, topic, retainedTopic);
        InvalidSetting.unlessWithin(1, MAX_PARTITIONS, "Kafka.Partitions", partitions);
        InvalidSetting.unlessWithin(1, MAX_REPLICATION, "Kafka.Replication", replication);
        refuse("Kafka.clients.", clients, REFUSED_OF_ANY, REFUSED_OF_PRODUCER, REFUSED_OF_CONSUMER);
        refuse("Kafka.producer.", producer, REFUSED_OF_ANY, REFUSED_OF_PRODUCER);
        refuse("Kafka.consumer.", consumer, REFUSED_OF_ANY, REFUSED_OF_CONSUMER);
        refuse("Kafka.admin.", admin, REFUSED_OF_ANY);
        String compression = producer.getOrDefault("compression.type", "none");
        InvalidSetting.unless(
                !COMPRESSIONS_LEFT_OUT.contains(compression.toLowerCase(Locale.ROOT)),
                "Kafka.producer.compression.type",
                compression,
                "needs a library that the server does not bring; use gzip or none");
    }

    private static void requireBridges(List<String> bridges, String topic, String retainedTopic) {
        for (String bridge : bridges) {
            requireTopic("Kafka.Bridge", bridge);
            InvalidSetting.unless(
                    !bridge.equals(topic) && !bridge.equals(retainedTopic),
                    "Kafka.Bridge",
                    bridge,
                    "is this cluster's own topic; bridges are topics of other programs");
        }
        InvalidSetting.unless(
                Set.copyOf(bridges).size() == bridges.size(),
                "Kafka.Bridge",
                String.join(", ", bridges),
                "names a topic twice");
    }

    private static void requireTopic(String key, String name) {
        InvalidSetting.unless(
                name.matches("[A-Za-z0-9._-]{1,220}"),
                key,
                name,
                "must be letters, digits, dots, hyphens and underscores, 220 at most");
    }

    @SafeVarargs
    private static void refuse(String prefix, Map<String, String> written, Map<String, String>... refused) {
        for (Map<String, String> each : refused) {
            each.forEach((name, reason) -> {
                if (written.containsKey(name)) {
                    throw new InvalidSetting(prefix + name, reason + "; remove this line");
                }
            });
        }
    }

    /** Whose secrets may be in what is passed on. */
    @Override
    public String toString() {
        return "KafkaConfig[" + brokers + ", " + topic + "]";
    }
}
