package io.belfry.server.cluster;

import io.belfry.server.config.KafkaConfig;
import java.util.Map;

/**
 * What a node's lanes have in common. Any thread.
 *
 * @param node tells this node's records from those of others, and of this one's earlier lives
 * @param publisher takes messages to the log
 * @param bridging takes those of a bridge to its topic, by the topic's name
 * @param storing takes retained ones to {@code Kafka.RetainedTopic}, so that no topic's trouble is another's
 */
record KafkaShared(
        long epoch,
        long node,
        Partitions partitions,
        KafkaConfig config,
        LogPublisher publisher,
        Map<String, LogPublisher> bridging,
        LogPublisher storing) {
    KafkaShared {
        bridging = Map.copyOf(bridging);
    }

    LogPublisher publisherOf(String topic) {
        return bridging.getOrDefault(topic, publisher);
    }
}
