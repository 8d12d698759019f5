package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * What is held for connections, and for some that are over. Immutable.
 *
 * @param pipelinedBytes of further requests, while one is answered
 * @param refusedWaiting refused connections of an event loop that may read their answer before they are closed
 * @param rememberedAddresses without a connection, of which it is known what they used up
 */
public record HeldLimitConfig(int pipelinedBytes, int refusedWaiting, int rememberedAddresses) {
    static final int MIN_PIPELINED_BYTES = 1 << 10;
    static final int MAX_PIPELINED_BYTES = 16 << 20;

    public HeldLimitConfig {
        InvalidSetting.unlessWithin(MIN_PIPELINED_BYTES, MAX_PIPELINED_BYTES, "Limit.PipelinedBytes", pipelinedBytes);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.RefusedWaiting", refusedWaiting);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.RememberedAddresses", rememberedAddresses);
    }
}
