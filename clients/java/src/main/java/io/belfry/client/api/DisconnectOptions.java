package io.belfry.client.api;

import org.jspecify.annotations.Nullable;

/**
 * How sessions are closed. Immutable.
 *
 * @param reason text for the client, at most 100 characters; null for the server's own
 * @param reconnect whether the clients return by themselves
 * @param except name of a session that stays, or null
 */
public record DisconnectOptions(
        @Nullable String reason,
        boolean reconnect,
        @Nullable String except) {
    /** Closes all sessions, and clients do not return by themselves. */
    public static final DisconnectOptions FINAL = new DisconnectOptions(null, false, null);
}
