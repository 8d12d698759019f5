package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * Limits of the sessions that are kept after their connection was lost: time, number and bytes. Immutable.
 *
 * @param detachedMillis time in which a client can continue a session; 0 keeps none
 * @param sessions maximum number of sessions without a connection
 * @param bytes maximum memory of sessions without a connection, estimated by the number of their subjects
 */
public record KeptSessionConfig(int detachedMillis, int sessions, long bytes) {
    /** The longest time for which a session can be kept: one day. */
    public static final int MAX_MILLIS = 86_400_000;

    public KeptSessionConfig {
        InvalidSetting.unlessWithin(0, MAX_MILLIS, "Session.DetachedTime", detachedMillis);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.DetachedSessions", sessions);
        InvalidSetting.unlessWithin(0, Long.MAX_VALUE, "Limit.DetachedBytes", bytes);
    }

    /** Returns the part of the limits that applies to one of this many lanes. */
    public KeptSessionConfig shareOf(int lanes) {
        return new KeptSessionConfig(detachedMillis, Math.ceilDiv(sessions, lanes), Math.ceilDiv(bytes, lanes));
    }
}
