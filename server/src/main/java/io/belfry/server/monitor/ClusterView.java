package io.belfry.server.monitor;

import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;

/**
 * State of this node's part of the cluster, for the monitor. Immutable; any thread may call the functions.
 *
 * @param partitions names of the partitions
 * @param lag returns the number of messages that this node has not read yet, for a partition's index
 * @param stale returns the reason why this node is stale, or empty if it is not
 */
public record ClusterView(List<String> partitions, IntToLongFunction lag, Supplier<Optional<String>> stale) {}
