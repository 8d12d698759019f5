package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * Limits of connections of all clients together. In {@code connections} and {@code connectRate}, 0 means no limit.
 * Immutable.
 *
 * @param handshakeMillis time for a complete request
 * @param handshakeBytes size of a request's head
 * @param incompleteBytes bytes of incomplete input of all clients
 */
public record ConnectionLimitConfig(
        int connections, int connectRate, int handshakeMillis, int handshakeBytes, long incompleteBytes) {
    /** Minimum size of a request head, which a browser sends without cookies. */
    static final int MIN_HANDSHAKE_BYTES = 1 << 10;

    static final int MAX_HANDSHAKE_BYTES = 1 << 20;

    public ConnectionLimitConfig {
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.Connections", connections);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.ConnectRate", connectRate);
        InvalidSetting.unlessWithin(
                LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS, "Limit.HandshakeTime", handshakeMillis);
        InvalidSetting.unlessWithin(MIN_HANDSHAKE_BYTES, MAX_HANDSHAKE_BYTES, "Limit.HandshakeBytes", handshakeBytes);
        InvalidSetting.unlessWithin(
                LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE, "Limit.IncompleteBytes", incompleteBytes);
    }
}
