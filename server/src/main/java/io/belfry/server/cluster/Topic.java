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
 * The topic as it was found: which log it is, and where it promises less than it should. Immutable.
 *
 * @param epoch of all positions: another when the topic is another, or is cut into another number of partitions
 */
record Topic(String id, long epoch, List<String> warnings) {
    private static final int JSON_BITS = 53;
    static final long ASK_MILLIS = 5000;
    private static final int IN_SYNC_MIN = 2;
    private static final int REPLICATION_MIN = 3;

    /** What a record has beside its data: subject, headers, the batch around it. */
    private static final int RECORD_SLACK = 4 << 10;

    /** Finds it, or creates it where there is none. Throws where it is not what the configuration says. */
    static Topic find(Admin admin, KafkaConfig config, long cacheMillis, int maxMessageSize)
            throws IOException, InterruptedException {
        try {
            TopicDescription found = findOrCreate(admin, wanted(config, cacheMillis, maxMessageSize));
            requirePartitions(found, config, "Kafka.Topic");
            String cluster = admin.describeCluster().clusterId().get();
            String topicId = found.topicId().toString();
            return new Topic(
                    topicId,
                    epoch(cluster + "/" + topicId + "/" + config.partitions()),
                    warnings(admin, config, found, cacheMillis, maxMessageSize));
        } catch (ExecutionException failure) {
            throw new IOException(String.valueOf(failure.getCause()), failure);
        }
    }

    /** The topic as it is, after this one was created where there was none. */
    static TopicDescription findOrCreate(Admin admin, NewTopic wanted)
            throws ExecutionException, IOException, InterruptedException {
        Optional<TopicDescription> found = describe(admin, wanted.name(), ASK_MILLIS);
        if (found.isPresent()) {
            return found.get();
        }
        create(admin, wanted);
        return describe(admin, wanted.name(), ASK_MILLIS)
                .orElseThrow(() -> new IOException("the topic " + wanted.name() + " was created and is not there yet"));
    }

    static void requirePartitions(TopicDescription found, KafkaConfig config, String key) throws WrongTopic {
        if (found.partitions().size() != config.partitions()) {
            throw new WrongTopic("the topic " + found.name() + " has "
                    + found.partitions().size()
                    + " partitions and Kafka.Partitions says " + config.partitions()
                    + ": that number is for the topic's life, so set Kafka.Partitions to it, or " + key
                    + " to another");
        }
    }

    /** Not a matter of waiting. */
    static final class WrongTopic extends IOException {
        WrongTopic(String message) {
            super(message);
        }
    }

    /** The topic's id, by which a topic that was deleted and created again is known. */
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
            // Another node was quicker.
            if (!(failure.getCause() instanceof TopicExistsException)) {
                throw failure;
            }
        }
    }

    private static NewTopic wanted(KafkaConfig config, long cacheMillis, int maxMessageSize) {
        long retention = Math.max(2 * (cacheMillis + config.repeatMillis()), 24L * 60 * 60 * 1000);
        return new NewTopic(config.topic(), config.partitions(), (short) config.replication())
                .configs(Map.of(
                        "cleanup.policy",
                        "delete",
                        "retention.ms",
                        Long.toString(retention),
                        "max.message.bytes",
                        ClientSettings.requestBytes(maxMessageSize),
                        // One clock for all that a subject's messages are judged by.
                        "message.timestamp.type",
                        "LogAppendTime",
                        "unclean.leader.election.enable",
                        "false",
                        "min.insync.replicas",
                        inSync(config)));
    }

    /** How many brokers are to have a record before it is acknowledged. */
    static String inSync(KafkaConfig config) {
        return Integer.toString(config.replication() >= REPLICATION_MIN ? IN_SYNC_MIN : 1);
    }

    private static List<String> warnings(
            Admin admin, KafkaConfig config, TopicDescription topic, long cacheMillis, int maxMessageSize)
            throws ExecutionException, InterruptedException {
        Config settings = settings(admin, config.topic());
        List<String> warnings = safety(settings, topic, maxMessageSize);
        long retention = number(settings, "retention.ms", -1);
        if (retention >= 0 && retention < cacheMillis + config.repeatMillis()) {
            warnings.add(
                    "retention.ms is " + retention + ", less than CacheExpireTime and Kafka.RepeatTime together, so a"
                            + " node that starts does not find all it should");
        }
        if (value(settings, "cleanup.policy").contains("compact")) {
            warnings.add("cleanup.policy compacts, which takes messages out of the middle of a subject's history");
        }
        return List.copyOf(warnings);
    }

    static Config settings(Admin admin, String topic) throws ExecutionException, InterruptedException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        return Objects.requireNonNull(
                admin.describeConfigs(List.of(resource)).all().get().get(resource));
    }

    /** What is wrong with it that can lose records, or has it take not all of them. */
    static List<String> safety(Config settings, TopicDescription topic, int maxMessageSize) {
        List<String> warnings = new ArrayList<>();
        int replication = topic.partitions().getFirst().replicas().size();
        if (replication < REPLICATION_MIN) {
            warnings.add(
                    "each message is on " + replication + " brokers; with fewer than 3 a broker's disk can lose some");
        }
        if (number(settings, "min.insync.replicas", 1) < IN_SYNC_MIN) {
            warnings.add("min.insync.replicas is below 2, so a message can be acknowledged that only one broker has");
        }
        if (value(settings, "unclean.leader.election.enable").equals("true")) {
            warnings.add(
                    "unclean.leader.election.enable is true, so acknowledged messages can be lost and positions reused");
        }
        long largest = number(settings, "max.message.bytes", Integer.MAX_VALUE);
        if (largest < maxMessageSize + RECORD_SLACK) {
            warnings.add("max.message.bytes is " + largest + ", too few for MaxMessageSize, which is " + maxMessageSize
                    + ": a publish that is too large for the topic gets publish-unknown, and others with it");
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

    /** As many bits as a number of JSON holds exactly. */
    static long epoch(String log) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(log.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(hash).getLong() >>> (Long.SIZE - JSON_BITS);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has SHA-256", missing);
        }
    }
}
