package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * The limits of one user on this node, over all its sessions; 0 means no limit. Immutable.
 *
 * @param sessions maximum number of sessions
 * @param policy which session ends when the limit is reached
 * @param publishRate maximum number of publishes per second
 * @param commandRate maximum number of other commands per second
 */
public record UserLimitConfig(int sessions, Policy policy, int publishRate, int commandRate) {
    /** Which session ends when a user has more sessions than allowed. */
    public enum Policy {
        /** The newest session wins. */
        CLOSE_OLDEST,
        /** The newest session is refused. */
        REFUSE
    }

    public UserLimitConfig {
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.SessionsPerUser", sessions);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.PublishRatePerUser", publishRate);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.CommandRatePerUser", commandRate);
    }
}
