package io.belfry.client.api;

import org.jspecify.annotations.Nullable;

/**
 * Which sessions to list; null for any. Immutable.
 *
 * @param user sessions of this user
 * @param subject sessions that subscribe to exactly this subject or pattern
 * @param state {@code ready}, {@code slow} or {@code detached}
 */
public record SessionFilter(
        @Nullable String user,
        @Nullable String subject,
        @Nullable String state) {
    /** All sessions. */
    public static final SessionFilter ALL = new SessionFilter(null, null, null);

    /** Returns a filter for the sessions of a user. */
    public static SessionFilter ofUser(String user) {
        return new SessionFilter(user, null, null);
    }
}
