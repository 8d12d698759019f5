package io.belfry.server.cluster;

import io.belfry.server.config.KafkaConfig;

/**
 * What a node's lanes have in common. Any thread.
 *
 * @param node tells this node's records from those of others, and of this one's earlier lives
 * @param publisher takes messages to the log
 * @param storing takes retained ones to {@code Kafka.RetainedTopic}, so that neither topic's trouble is the other's
 */
record KafkaShared(
        long epoch,
        long node,
        Partitions partitions,
        KafkaConfig config,
        LogPublisher publisher,
        LogPublisher storing) {}
