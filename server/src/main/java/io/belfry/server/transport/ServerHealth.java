package io.belfry.server.transport;

import java.util.Optional;

/** Whether the server should get work, as {@code /health/ready} tells. Any thread. */
public interface ServerHealth {
    /** Why it should not, or nothing. */
    Optional<String> notReady();
}
