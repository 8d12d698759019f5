package io.belfry.server.workgroup;

import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counters;
import io.belfry.server.entitlement.Entitlement;

/** What all lanes of a server have in common. Immutable; {@code seed} is the one of every subject hash. */
public record LaneSetup(
        ServerConfig config, Entitlement entitlement, NodeFacts facts, Counters counters, Clock clock, long seed) {}
