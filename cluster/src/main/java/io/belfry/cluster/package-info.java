/** Whole clusters on one machine, for trying and for tests: Kafka brokers and Belfry nodes as processes. No part of the server. */
@NullMarked
package io.belfry.cluster;

import org.jspecify.annotations.NullMarked;
