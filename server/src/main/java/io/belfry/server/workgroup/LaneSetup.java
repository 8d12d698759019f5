package io.belfry.server.workgroup;

import io.belfry.server.broker.Backbone;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counters;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.event.ApplicationEvents;
import io.belfry.server.history.HistoryStorage;
import io.belfry.server.trace.Tracer;
import io.belfry.server.turn.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The settings and objects that all lanes of a server share. Immutable. {@code seed} is the seed of subject hashes,
 * {@code storage} stores histories on disk, {@code backbone} orders messages across nodes, {@code tracer} traces
 * calls, {@code events} are passed to the application; the last four are null if unused.
 */
public record LaneSetup(
        ServerConfig config,
        Entitlement entitlement,
        NodeFacts facts,
        Counters counters,
        Clock clock,
        long seed,
        @Nullable HistoryStorage storage,
        @Nullable Backbone backbone,
        @Nullable Tracer tracer,
        @Nullable ApplicationEvents events) {
    public LaneSetup(
            ServerConfig config,
            Entitlement entitlement,
            NodeFacts facts,
            Counters counters,
            Clock clock,
            long seed,
            @Nullable HistoryStorage storage,
            @Nullable Backbone backbone) {
        this(config, entitlement, facts, counters, clock, seed, storage, backbone, null, null);
    }

    public LaneSetup(
            ServerConfig config, Entitlement entitlement, NodeFacts facts, Counters counters, Clock clock, long seed) {
        this(config, entitlement, facts, counters, clock, seed, null, null, null, null);
    }
}
