package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * Limits for clients. In {@code subjectsPerSession} and {@code publishRate}, 0 means no limit. A {@code retainedBytes}
 * of 0 retains nothing. Separate records have the limits of connections, those per address, those of a lane's backlog,
 * those of requests and stored state, those of the state held for connections, and the ping intervals. Immutable.
 */
public record LimitConfig(
        ConnectionLimitConfig ofConnections,
        AddressLimitConfig ofAddress,
        int subjectsPerSession,
        int conflatedSubjects,
        int publishRate,
        long retainedBytes,
        PingConfig pings,
        BacklogLimitConfig backlog,
        LoadLimitConfig load,
        HeldLimitConfig held) {
    /** Maximum time of one hour. */
    static final int MAX_MILLIS = 3_600_000;

    /** Minimum time; a busy client on a slow network cannot answer in less than 100 ms. */
    static final int MIN_MILLIS = 100;

    /** Minimum size of about two batches; with less, publishers would pause for every batch. */
    static final int MIN_INBOX_BYTES = 64 << 10;

    public LimitConfig {
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.SubjectsPerSession", subjectsPerSession);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.ConflatedSubjects", conflatedSubjects);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.PublishRate", publishRate);
        InvalidSetting.unlessWithin(0, Long.MAX_VALUE, "Limit.RetainedBytes", retainedBytes);
    }

    /** Returns the ping interval of a client that requests none. */
    public int pingMillis() {
        return pings.millis();
    }
}
