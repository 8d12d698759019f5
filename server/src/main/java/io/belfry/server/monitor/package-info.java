/**
 * What an operator sees: JMX beans, Prometheus metrics, JSON figures, health and the line in the log. One thread reads
 * the counters each second and publishes an immutable {@link io.belfry.server.monitor.Snapshot}; everything else only
 * reads that. Knows counters and configuration, never a live session, and nothing here is on the way of a message.
 */
@NullMarked
package io.belfry.server.monitor;

import org.jspecify.annotations.NullMarked;
