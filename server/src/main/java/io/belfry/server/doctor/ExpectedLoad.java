package io.belfry.server.doctor;

import io.belfry.server.config.ServerConfig;

/** The configuration and the number of connections that the host must carry. Immutable. */
record ExpectedLoad(ServerConfig config, int connections, String reason) {
    /** Number of connections that the checks assume if Limit.Connections sets no limit. */
    private static final int CONNECTIONS_UNLIMITED = 10_000;

    static ExpectedLoad of(ServerConfig config) {
        int limit = config.limits().ofConnections().connections();
        return limit > 0
                ? new ExpectedLoad(config, limit, "Limit.Connections = " + limit)
                : new ExpectedLoad(
                        config,
                        CONNECTIONS_UNLIMITED,
                        CONNECTIONS_UNLIMITED + " connections (Limit.Connections sets no limit)");
    }
}
