package io.belfry.server.monitor;

import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;

/**
 * This node's part in a cluster as the monitor sees it. Immutable; any thread may ask.
 *
 * @param partitions their names
 * @param lag messages of the partition at this place that this node has not read yet
 * @param stale why this node is stale, while it is
 */
public record ClusterView(List<String> partitions, IntToLongFunction lag, Supplier<Optional<String>> stale) {}
