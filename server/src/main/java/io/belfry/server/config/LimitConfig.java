package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * How much clients may take. Of {@code connections}, {@code connectionsPerAddress}, {@code connectRate},
 * {@code subjectsPerSession} and {@code publishRate} 0 means no limit; {@code retainedBytes} 0 retains nothing. What
 * holds for all clients of an address together, for what a server knows and is asked, and for what it holds for connections,
 * stands in records of its own.
 * Immutable.
 */
public record LimitConfig(
        int connections,
        int connectionsPerAddress,
        int connectRate,
        int subjectsPerSession,
        int conflatedSubjects,
        int publishRate,
        long retainedBytes,
        long inboxBytes,
        long historyUnsyncedBytes,
        int handshakeMillis,
        int handshakeBytes,
        long incompleteBytes,
        int pingMillis,
        AddressLimitConfig ofAddress,
        LoadLimitConfig load,
        HeldLimitConfig held) {
    /** An hour; and a tenth of a second, below which a busy client on a bad network cannot answer. */
    static final int MAX_MILLIS = 3_600_000;

    static final int MIN_MILLIS = 100;

    /** A batch or two: below, publishers would pause for every one. */
    static final int MIN_INBOX_BYTES = 64 << 10;

    /** What a browser sends without cookies, and what nobody needs. */
    static final int MIN_HANDSHAKE_BYTES = 1 << 10;

    static final int MAX_HANDSHAKE_BYTES = 1 << 20;

    public LimitConfig {
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.Connections", connections);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.ConnectionsPerAddress", connectionsPerAddress);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.ConnectRate", connectRate);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.SubjectsPerSession", subjectsPerSession);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.ConflatedSubjects", conflatedSubjects);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.PublishRate", publishRate);
        InvalidSetting.unlessWithin(0, Long.MAX_VALUE, "Limit.RetainedBytes", retainedBytes);
        InvalidSetting.unlessWithin(MIN_INBOX_BYTES, Long.MAX_VALUE, "Limit.InboxBytes", inboxBytes);
        InvalidSetting.unlessWithin(
                MIN_INBOX_BYTES, Long.MAX_VALUE, "Limit.HistoryUnsyncedBytes", historyUnsyncedBytes);
        InvalidSetting.unlessWithin(MIN_MILLIS, MAX_MILLIS, "Limit.HandshakeTime", handshakeMillis);
        InvalidSetting.unlessWithin(MIN_HANDSHAKE_BYTES, MAX_HANDSHAKE_BYTES, "Limit.HandshakeBytes", handshakeBytes);
        InvalidSetting.unlessWithin(MIN_INBOX_BYTES, Long.MAX_VALUE, "Limit.IncompleteBytes", incompleteBytes);
        InvalidSetting.unlessWithin(MIN_MILLIS, MAX_MILLIS, "PingInterval", pingMillis);
    }
}
