package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * Whether clients may have names, and how many names the server keeps. Immutable.
 *
 * @param enabled whether a connect with a name is accepted
 * @param names maximum number of names
 */
public record ClientNameConfig(boolean enabled, int names) {
    public ClientNameConfig {
        InvalidSetting.unlessWithin(1, Integer.MAX_VALUE, "Limit.ClientNames", names);
    }

    /** Returns the part of the limit that applies to one of this many lanes. */
    public ClientNameConfig shareOf(int lanes) {
        return new ClientNameConfig(enabled, Math.ceilDiv(names, lanes));
    }
}
