package io.belfry.server.workgroup;

import io.belfry.server.broker.Backbone;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counters;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.history.HistoryStorage;
import org.jspecify.annotations.Nullable;

/**
 * What all lanes of a server have in common. Immutable; {@code seed} is the one of every subject hash, {@code storage} is
 * where histories are on disk, {@code backbone} what has their order where nodes are several; each null where it is not so.
 */
public record LaneSetup(
        ServerConfig config,
        Entitlement entitlement,
        NodeFacts facts,
        Counters counters,
        Clock clock,
        long seed,
        @Nullable HistoryStorage storage,
        @Nullable Backbone backbone) {
    public LaneSetup(
            ServerConfig config, Entitlement entitlement, NodeFacts facts, Counters counters, Clock clock, long seed) {
        this(config, entitlement, facts, counters, clock, seed, null, null);
    }
}
