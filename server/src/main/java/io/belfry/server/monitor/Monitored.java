package io.belfry.server.monitor;

import io.belfry.server.counter.Counters;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The parts of the server that the monitor reads. Immutable; the event loops update the counters.
 *
 * @param clock returns the time in ms since 1970
 * @param workgroups workgroups; each loop of {@code counters} belongs to exactly one of them
 * @param node name of the node, as the server sends it to clients
 * @param encryption facts about TLS; empty if no listener is encrypted
 * @param cluster view of the cluster; empty on a single node
 * @param feed the subjects to which the monitor publishes figures
 */
public record Monitored(
        LongSupplier clock,
        Counters counters,
        List<WorkgroupLoops> workgroups,
        Health health,
        String node,
        String version,
        Optional<Encryption> encryption,
        Optional<ClusterView> cluster,
        FeedOutlet feed) {
    public Monitored {
        workgroups = List.copyOf(workgroups);
    }
}
