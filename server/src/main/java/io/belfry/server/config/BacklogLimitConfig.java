package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/** Limits beyond which a lane's publishers wait: bytes not processed yet, and bytes not on disk yet. Immutable. */
public record BacklogLimitConfig(long inboxBytes, long historyUnsyncedBytes) {
    public BacklogLimitConfig {
        InvalidSetting.unlessWithin(LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE, "Limit.InboxBytes", inboxBytes);
        InvalidSetting.unlessWithin(
                LimitConfig.MIN_INBOX_BYTES, Long.MAX_VALUE, "Limit.HistoryUnsyncedBytes", historyUnsyncedBytes);
    }
}
