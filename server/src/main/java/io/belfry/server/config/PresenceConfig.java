package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * The bounds of presence. Immutable.
 *
 * @param maxMembers maximum number of members of a subject whose list followers get
 * @param leaveMillis time for which a member is shown after its last session has ended
 */
public record PresenceConfig(int maxMembers, long leaveMillis) {
    static final int MAX_MEMBERS = 100_000;
    static final long MAX_LEAVE_MILLIS = 300_000;

    public PresenceConfig {
        InvalidSetting.unlessWithin(0, MAX_MEMBERS, "Presence.MaxMembers", maxMembers);
        InvalidSetting.unlessWithin(0, MAX_LEAVE_MILLIS, "Presence.LeaveTime", leaveMillis);
    }
}
