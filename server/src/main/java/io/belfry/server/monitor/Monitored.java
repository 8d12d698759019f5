package io.belfry.server.monitor;

import io.belfry.server.counter.Counters;
import java.util.List;
import java.util.Optional;

/**
 * The server as the monitor sees it. Immutable; what it holds is written by the loops.
 *
 * @param workgroups each loop of {@code counters} belongs to exactly one of them
 * @param node the node's name, as clients are told it
 * @param encryption empty where no client comes encrypted
 * @param cluster empty where there is a single node
 */
public record Monitored(
        Counters counters,
        List<WorkgroupLoops> workgroups,
        Health health,
        String node,
        String version,
        Optional<Encryption> encryption,
        Optional<ClusterView> cluster) {
    public Monitored {
        workgroups = List.copyOf(workgroups);
    }
}
