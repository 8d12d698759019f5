/**
 * The operator's view of the server: JMX beans, Prometheus metrics, JSON statistics, health pages and the statistics
 * log. One thread reads the counters each second and publishes an immutable
 * {@link io.belfry.server.monitor.Snapshot}; all other code only reads snapshots. Knows counters and configuration, but
 * no session, and is not part of a message's path.
 */
@NullMarked
package io.belfry.server.monitor;

import org.jspecify.annotations.NullMarked;
