package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * The limit of the sessions of one user. Immutable.
 *
 * @param sessions maximum number of sessions of one user on this node; 0 means no limit
 * @param policy which session ends when the limit is reached
 */
public record UserLimitConfig(int sessions, Policy policy) {
    /** Which session ends when a user has more sessions than allowed. */
    public enum Policy {
        /** The newest session wins. */
        CLOSE_OLDEST,
        /** The newest session is refused. */
        REFUSE
    }

    public UserLimitConfig {
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.SessionsPerUser", sessions);
    }
}
