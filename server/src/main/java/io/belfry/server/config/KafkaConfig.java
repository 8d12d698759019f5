package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.List;

/** Settings of the cluster's use of Kafka. Immutable; its text never contains secrets. */
public record KafkaConfig(
        List<String> brokers,
        KafkaTopicConfig topics,
        KafkaTimeConfig times,
        long publishBytes,
        int quietSubjects,
        int watchedSubjects,
        int presenceMembers,
        KafkaClientConfig clients) {
    public KafkaConfig {
        brokers = List.copyOf(brokers);
        if (brokers.isEmpty()) {
            throw new InvalidSetting(
                    "Kafka.Brokers", "is required by ClusterEngine = kafka: host:port, or a list of them");
        }
    }
}
