package io.belfry.server.transport;

import java.util.Optional;

/** Reports whether the server is ready for clients, for {@code /health/ready}. Any thread. */
public interface ServerHealth {
    /** Returns why the server is not ready, or empty. */
    Optional<String> notReady();
}
