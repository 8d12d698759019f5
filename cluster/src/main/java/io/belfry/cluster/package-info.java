/**
 * Clusters on one machine, for tests and experiments: Kafka brokers and Belfry nodes as processes. Not a part of the
 * server.
 */
@NullMarked
package io.belfry.cluster;

import org.jspecify.annotations.NullMarked;
