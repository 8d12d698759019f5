package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * Limits for all clients of one address together; 0 means no limit. Immutable.
 *
 * @param unknown maximum number of connections without a completed handshake or authorized request
 * @param connectRate maximum number of new connections per second
 * @param publishRate maximum number of publishes per second
 * @param failedTokens maximum number of rejected tokens per minute
 */
public record AddressLimitConfig(int connections, int unknown, int connectRate, int publishRate, int failedTokens) {
    public AddressLimitConfig {
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.ConnectionsPerAddress", connections);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.UnknownPerAddress", unknown);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.ConnectRatePerAddress", connectRate);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.PublishRatePerAddress", publishRate);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.FailedTokensPerAddress", failedTokens);
    }
}
