package io.belfry.server.api;

import io.belfry.server.config.ApiConfig;
import io.belfry.server.entitlement.Revocations;
import io.belfry.server.monitor.NodeSummary;
import io.belfry.server.workgroup.Lane;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the server that the API uses. Immutable.
 *
 * @param node name of this node
 * @param nodes returns the summary of each node that this node knows
 * @param drain drains this node over a time
 * @param revocations the revoked tokens; null if the entitlement has no tokens that can be revoked
 */
public record ApiSetup(
        ApiConfig config,
        List<Lane> lanes,
        String node,
        Supplier<List<NodeSummary>> nodes,
        Consumer<Duration> drain,
        @Nullable Revocations revocations) {
    public ApiSetup {
        lanes = List.copyOf(lanes);
    }
}
