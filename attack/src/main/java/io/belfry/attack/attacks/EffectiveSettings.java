package io.belfry.attack.attacks;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the server under attack that attacks depend on. Immutable.
 *
 * @param handshakeTime time a connection has for its first complete request
 * @param maxMessageBytes maximum size of the data of a message
 * @param subjectsPerSession 0 = no limit
 * @param entitlement value of the key {@code Entitlement}, in lower case
 * @param token allows publishing and subscribing; null: none is needed
 */
public record EffectiveSettings(
        boolean encrypted,
        boolean compression,
        Duration handshakeTime,
        int maxMessageBytes,
        int subjectsPerSession,
        String entitlement,
        @Nullable String token) {
    /** Returns the maximum size of a WebSocket message, as docs/protocol.md defines it. */
    public long maxFrameBytes() {
        return Math.min(64L << 20, 6L * maxMessageBytes + 4096);
    }
}
