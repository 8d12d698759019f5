package io.belfry.server.config;

/**
 * The times of a cluster. Immutable.
 *
 * @param startMillis time that a start waits for Kafka
 * @param publishMillis time that a publish waits for Kafka
 * @param repeatMillis time for which a repeated {@code msgId} is recognised on any node
 * @param staleMillis time without Kafka after which a node is stale
 * @param restartMillis time without publishes to Kafka after one of unknown outcome
 * @param presenceMillis time of silence after which another node is regarded as dead
 */
public record KafkaTimeConfig(
        long startMillis,
        long publishMillis,
        long repeatMillis,
        long staleMillis,
        long restartMillis,
        long presenceMillis) {}
