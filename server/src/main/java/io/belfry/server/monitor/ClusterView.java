package io.belfry.server.monitor;

import java.util.Optional;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;

/**
 * This node's part in a cluster as the monitor sees it. Immutable; any thread may ask.
 *
 * @param lag messages of a partition that this node has not read yet
 * @param stale why this node is stale, while it is
 */
public record ClusterView(int partitions, IntToLongFunction lag, Supplier<Optional<String>> stale) {}
