package io.belfry.server.monitor;

import io.belfry.server.counter.Counters;
import java.util.List;

/**
 * The server as the monitor sees it. Immutable; what it holds is written by the loops.
 *
 * @param workgroups each loop of {@code counters} belongs to exactly one of them
 * @param node the node's name, as clients are told it
 */
public record Monitored(
        Counters counters, List<WorkgroupLoops> workgroups, Health health, String node, String version) {
    public Monitored {
        workgroups = List.copyOf(workgroups);
    }
}
