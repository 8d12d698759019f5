package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * Limits of the state that the server holds for open connections and for closed ones. Immutable.
 *
 * @param pipelinedBytes maximum bytes of further requests of a connection while one request is answered
 * @param refusedWaiting maximum number of refused connections per event loop whose answer is not read yet
 * @param rememberedAddresses maximum number of addresses without a connection whose used quota is remembered
 * @param sessions sessions that are kept after their connection was lost
 * @param clients names of clients
 * @param users sessions of one user, and their rates
 */
public record HeldLimitConfig(
        int pipelinedBytes,
        int refusedWaiting,
        int rememberedAddresses,
        KeptSessionConfig sessions,
        ClientNameConfig clients,
        UserLimitConfig users) {
    static final int MIN_PIPELINED_BYTES = 1 << 10;
    static final int MAX_PIPELINED_BYTES = 16 << 20;

    public HeldLimitConfig {
        InvalidSetting.unlessWithin(MIN_PIPELINED_BYTES, MAX_PIPELINED_BYTES, "Limit.PipelinedBytes", pipelinedBytes);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.RefusedWaiting", refusedWaiting);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.RememberedAddresses", rememberedAddresses);
    }
}
