package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import io.belfry.settings.TimeScale;

/**
 * The interval at which silent clients are pinged, and the bounds of the intervals that clients may request. Immutable.
 *
 * @param millis interval of a client that requests none
 * @param minMillis shortest interval of a client that requests one
 * @param maxMillis longest interval of a client that requests one
 */
public record PingConfig(int millis, int minMillis, int maxMillis) {
    /** Longest interval of a client, one day. */
    static final int MAX_REQUESTED_MILLIS = 24 * LimitConfig.MAX_MILLIS;

    public PingConfig {
        InvalidSetting.unlessWithin(LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS, "PingInterval", millis);
        InvalidSetting.unless(
                minMillis >= LimitConfig.MIN_MILLIS && minMillis <= millis,
                "PingInterval.Min",
                TimeScale.write(minMillis),
                "must be from 100 ms to PingInterval, " + TimeScale.write(millis));
        InvalidSetting.unless(
                maxMillis >= millis && maxMillis <= MAX_REQUESTED_MILLIS,
                "PingInterval.Max",
                TimeScale.write(maxMillis),
                "must be from PingInterval, " + TimeScale.write(millis) + ", to 24 h");
    }

    /** Returns the interval for a client that requests this one. */
    public int within(long requestedMillis) {
        return Math.clamp(requestedMillis, minMillis, maxMillis);
    }
}
