/**
 * Several nodes with one order: a Kafka topic that every node writes to and reads. One thread reads, one publishes, one
 * watches; each lane's {@link io.belfry.server.cluster.KafkaBroker} is owned by that lane. A single node loads no class of
 * this package, and the package does not depend on sessions.
 */
@NullMarked
package io.belfry.server.cluster;

import org.jspecify.annotations.NullMarked;
