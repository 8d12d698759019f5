package io.belfry.attack.server;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is in effect at the server under attack, as far as an attack needs it. Immutable.
 *
 * @param handshakeTime what a connection has for its first complete request
 * @param maxMessageBytes of a message's data
 * @param subjectsPerSession 0 = no limit
 * @param entitlement as the key has it
 * @param token lets its bearer publish and subscribe; null: none is needed
 */
public record Facts(
        boolean encrypted,
        boolean compression,
        Duration handshakeTime,
        int maxMessageBytes,
        int subjectsPerSession,
        String entitlement,
        @Nullable String token) {
    /** What a WebSocket message may have at most, as docs/protocol.md says. */
    public long maxFrameBytes() {
        return Math.min(64L << 20, 6L * maxMessageBytes + 4096);
    }
}
