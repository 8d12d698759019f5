package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * How much all clients of one address may take together; 0 means no limit. Immutable.
 *
 * @param unknown connections that are nobody's yet
 * @param connectRate new connections per second
 * @param publishRate publishes per second
 * @param failedTokens tokens per minute that are not accepted
 */
public record AddressLimitConfig(int unknown, int connectRate, int publishRate, int failedTokens) {
    public AddressLimitConfig {
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.UnknownPerAddress", unknown);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.ConnectRatePerAddress", connectRate);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.PublishRatePerAddress", publishRate);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.FailedTokensPerAddress", failedTokens);
    }
}
