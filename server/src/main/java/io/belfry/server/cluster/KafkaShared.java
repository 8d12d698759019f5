package io.belfry.server.cluster;

import io.belfry.server.config.HeaderConfig;
import io.belfry.server.config.KafkaConfig;
import java.util.Map;

/**
 * Objects that a node's lanes share. Any thread.
 *
 * @param node distinguishes this node's records from those of others and of its earlier runs
 * @param publisher writes messages to the log
 * @param bridging writes messages of a bridge to its topic, by the topic's name
 * @param storing writes retained messages to {@code Kafka.RetainedTopic}, so that topics fail independently
 * @param maxMessageSize maximum bytes of data and headers together
 * @param headers bounds of the headers of messages, which other programs may write
 */
record KafkaShared(
        long epoch,
        long node,
        Partitions partitions,
        KafkaConfig config,
        LogPublisher publisher,
        Map<String, LogPublisher> bridging,
        LogPublisher storing,
        int maxMessageSize,
        HeaderConfig headers) {
    KafkaShared {
        bridging = Map.copyOf(bridging);
    }

    LogPublisher publisherOf(String topic) {
        return bridging.getOrDefault(topic, publisher);
    }
}
