package io.belfry.server.cluster;

import io.belfry.server.config.KafkaConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The topic as found: its identity, and settings that weaken a guarantee. Immutable.
 *
 * @param epoch the epoch of all positions; it changes with the topic and with its number of partitions
 */
record Topic(String id, int partitions, long epoch, List<String> warnings) {
    private static final int JSON_BITS = 53;
    static final long ASK_MILLIS = 5000;
    private static final int IN_SYNC_MIN = 2;
    private static final int REPLICATION_MIN = 3;

    /** A partition adds a batch to each request, so more partitions than the brokers need to share the load only add latency. */
    private static final int PARTITIONS_PER_BROKER = 4;

    /** The number for a single broker: brokers can be added later, partitions cannot. */
    private static final int PARTITIONS_MIN = 8;

    /** Bytes of a record beside its data: subject, headers, batch. */
    private static final int RECORD_SLACK = 4 << 10;

    /** Finds the topic, or creates it. Throws if it contradicts the configuration. */
    static Topic find(Admin admin, KafkaConfig config, long cacheMillis, int maxMessageSize)
            throws IOException, InterruptedException {
        try {
            TopicDescription found = findOrCreate(admin, config, cacheMillis, maxMessageSize);
            int partitions = found.partitions().size();
            requirePartitions(
                    found, "Kafka.Topic", (int) config.topics().partitions().orElse(partitions));
            String cluster = admin.describeCluster().clusterId().get();
            String topicId = found.topicId().toString();
            return new Topic(
                    topicId,
                    partitions,
                    epoch(cluster + "/" + topicId + "/" + partitions),
                    warnings(admin, config, found, cacheMillis, maxMessageSize));
        } catch (ExecutionException failure) {
            throw new IOException(String.valueOf(failure.getCause()), failure);
        }
    }

    private static TopicDescription findOrCreate(Admin admin, KafkaConfig config, long cacheMillis, int maxMessageSize)
            throws ExecutionException, IOException, InterruptedException {
        Optional<TopicDescription> found = describe(admin, config.topics().log(), ASK_MILLIS);
        return found.isPresent()
                ? found.get()
                : created(admin, wanted(config, partitionsOfNew(admin, config), cacheMillis, maxMessageSize));
    }

    /** Returns the number of partitions of a topic that is to be created: that of an existing topic of retained messages, or else by the brokers. */
    private static int partitionsOfNew(Admin admin, KafkaConfig config)
            throws ExecutionException, InterruptedException {
        if (config.topics().partitions().isPresent()) {
            return (int) config.topics().partitions().getAsLong();
        }
        Optional<TopicDescription> retained = describe(admin, config.topics().retained(), ASK_MILLIS);
        return retained.isPresent()
                ? retained.get().partitions().size()
                : Math.max(
                        PARTITIONS_MIN,
                        PARTITIONS_PER_BROKER
                                * admin.describeCluster().nodes().get().size());
    }

    /** Returns the description of the topic, and creates it if it does not exist. */
    static TopicDescription findOrCreate(Admin admin, NewTopic wanted)
            throws ExecutionException, IOException, InterruptedException {
        Optional<TopicDescription> found = describe(admin, wanted.name(), ASK_MILLIS);
        return found.isPresent() ? found.get() : created(admin, wanted);
    }

    private static TopicDescription created(Admin admin, NewTopic wanted)
            throws ExecutionException, IOException, InterruptedException {
        create(admin, wanted);
        return describe(admin, wanted.name(), ASK_MILLIS)
                .orElseThrow(
                        () -> new IOException("the topic " + wanted.name() + " was created but does not exist yet"));
    }

    /** Throws if the topic has another number of partitions; {@code key} is the key of its name. */
    static void requirePartitions(TopicDescription found, String key, int partitions) throws WrongTopic {
        if (found.partitions().size() != partitions) {
            int has = found.partitions().size();
            throw new WrongTopic("the topic " + found.name() + " has " + has + " partitions, but " + partitions
                    + " are required; the number of a topic cannot change, so set Kafka.Partitions to " + has
                    + " or " + key + " to another topic");
        }
    }

    /** An error that waiting does not resolve. */
    static final class WrongTopic extends IOException {
        WrongTopic(String message) {
            super(message);
        }
    }

    /** Returns the topic's id, which changes when the topic is deleted and created again. */
    static Optional<String> idOf(Admin admin, String topic, long millis)
            throws ExecutionException, InterruptedException {
        return describe(admin, topic, millis).map(found -> found.topicId().toString());
    }

    static Optional<TopicDescription> describe(Admin admin, String topic, long millis)
            throws ExecutionException, InterruptedException {
        try {
            return Optional.ofNullable(
                    admin.describeTopics(List.of(topic), new DescribeTopicsOptions().timeoutMs((int) millis))
                            .allTopicNames()
                            .get()
                            .get(topic));
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof UnknownTopicOrPartitionException) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    private static void create(Admin admin, NewTopic topic) throws ExecutionException, InterruptedException {
        try {
            admin.createTopics(List.of(topic)).all().get();
        } catch (ExecutionException failure) {
            // Another node created it first.
            if (!(failure.getCause() instanceof TopicExistsException)) {
                throw failure;
            }
        }
    }

    private static NewTopic wanted(KafkaConfig config, int partitions, long cacheMillis, int maxMessageSize) {
        long retention = Math.max(2 * (cacheMillis + config.times().repeatMillis()), 24L * 60 * 60 * 1000);
        return new NewTopic(config.topics().log(), partitions, (short)
                        config.topics().replication())
                .configs(Map.of(
                        "cleanup.policy",
                        "delete",
                        "retention.ms",
                        Long.toString(retention),
                        "max.message.bytes",
                        ClientSettings.requestBytes(maxMessageSize),
                        // One clock for all times that a subject's messages are judged by.
                        "message.timestamp.type",
                        "LogAppendTime",
                        "unclean.leader.election.enable",
                        "false",
                        "min.insync.replicas",
                        inSync(config)));
    }

    /** Returns how many brokers must have a record before it is acknowledged. */
    static String inSync(KafkaConfig config) {
        return Integer.toString(config.topics().replication() >= REPLICATION_MIN ? IN_SYNC_MIN : 1);
    }

    private static List<String> warnings(
            Admin admin, KafkaConfig config, TopicDescription topic, long cacheMillis, int maxMessageSize)
            throws ExecutionException, InterruptedException {
        Config settings = settings(admin, config.topics().log());
        List<String> warnings = safety(settings, topic, maxMessageSize);
        long retention = number(settings, "retention.ms", -1);
        if (retention >= 0 && retention < cacheMillis + config.times().repeatMillis()) {
            warnings.add("retention.ms is " + retention + ", less than CacheExpireTime plus Kafka.RepeatTime, so a"
                    + " starting node does not find all messages of the cache time");
        }
        if (value(settings, "cleanup.policy").contains("compact")) {
            warnings.add("cleanup.policy compacts the topic, which removes messages within a subject's history");
        }
        return List.copyOf(warnings);
    }

    static Config settings(Admin admin, String topic) throws ExecutionException, InterruptedException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        return Objects.requireNonNull(
                admin.describeConfigs(List.of(resource)).all().get().get(resource));
    }

    /** Returns warnings about settings that can lose records or refuse some. */
    static List<String> safety(Config settings, TopicDescription topic, int maxMessageSize) {
        List<String> warnings = new ArrayList<>();
        int replication = topic.partitions().getFirst().replicas().size();
        if (replication < REPLICATION_MIN) {
            warnings.add("each message is on " + replication
                    + " brokers; with fewer than 3 the failure of a disk can lose messages");
        }
        if (number(settings, "min.insync.replicas", 1) < IN_SYNC_MIN) {
            warnings.add("min.insync.replicas is below 2, so a message that only one broker has can be acknowledged");
        }
        if (value(settings, "unclean.leader.election.enable").equals("true")) {
            warnings.add("unclean.leader.election.enable is true, so acknowledged messages can be lost and positions"
                    + " reused");
        }
        long largest = number(settings, "max.message.bytes", Integer.MAX_VALUE);
        if (largest < maxMessageSize + RECORD_SLACK) {
            warnings.add("max.message.bytes is " + largest + ", too few for MaxMessageSize, which is " + maxMessageSize
                    + ": a publish that is too large for the topic, and others with it, get publish-unknown");
        }
        return warnings;
    }

    static String value(Config settings, String name) {
        ConfigEntry entry = settings.get(name);
        return entry == null || entry.value() == null ? "" : entry.value();
    }

    private static long number(Config settings, String name, long otherwise) {
        String value = value(settings, name);
        return value.isEmpty() ? otherwise : Long.parseLong(value);
    }

    /** Returns a hash of as many bits as a JSON number represents exactly. */
    static long epoch(String log) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(log.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(hash).getLong() >>> (Long.SIZE - JSON_BITS);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has SHA-256", missing);
        }
    }
}
