package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The topics of a cluster. Immutable.
 *
 * @param log name of the topic that all nodes share
 * @param retained name of the topic of the retained messages
 * @param bridges names of topics of other programs
 * @param partitions number of partitions of the cluster's own topics, or empty to use that of an existing topic
 * @param replication number of brokers that store a partition of them
 */
public record KafkaTopicConfig(
        String log, String retained, List<String> bridges, OptionalLong partitions, int replication) {
    /** Maximum number of partitions that one thread reads without a measurable slowdown. */
    static final int MAX_PARTITIONS = 1024;

    static final int MAX_REPLICATION = 16;

    /** Default suffix of the topic of retained messages. */
    static final String RETAINED = ".retained";

    /** Suffix of the topic about subscribers. */
    private static final String PRESENCE = ".presence";

    /** Suffix of the topic about the members of subjects. */
    private static final String MEMBERS = ".members";

    public KafkaTopicConfig {
        bridges = List.copyOf(bridges);
        requireTopic("Kafka.Topic", log);
        requireTopic("Kafka.RetainedTopic", retained);
        InvalidSetting.unless(
                !retained.equals(log),
                "Kafka.RetainedTopic",
                retained,
                "must differ from Kafka.Topic: that topic deletes old messages, this one keeps the latest per subject");
        requireBridges(bridges, log, retained);
        InvalidSetting.unlessWithin(1, MAX_REPLICATION, "Kafka.Replication", replication);
    }

    /** Returns whether the cluster itself uses a topic of this name. */
    boolean uses(String topic) {
        return topic.equals(log)
                || topic.equals(retained)
                || topic.equals(log + PRESENCE)
                || topic.equals(log + MEMBERS)
                || bridges.contains(topic);
    }

    private static void requireBridges(List<String> bridges, String log, String retained) {
        for (String bridge : bridges) {
            requireTopic("Kafka.Bridge", bridge);
            InvalidSetting.unless(
                    !bridge.equals(log) && !bridge.equals(retained),
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

    static void requireTopic(String key, String name) {
        InvalidSetting.unless(
                name.matches("[A-Za-z0-9._-]{1,220}"),
                key,
                name,
                "must be letters, digits, dots, hyphens and underscores, 220 at most");
    }
}
