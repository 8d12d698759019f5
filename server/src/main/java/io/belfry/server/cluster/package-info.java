/**
 * Several nodes behind one order: a Kafka topic that every node writes to and reads. One thread reads, one publishes, one
 * watches; each lane's {@link io.belfry.server.cluster.KafkaBroker} is owned by that lane. Nothing here is loaded on a
 * single node, and it knows nothing of sessions.
 */
@NullMarked
package io.belfry.server.cluster;

import org.jspecify.annotations.NullMarked;
