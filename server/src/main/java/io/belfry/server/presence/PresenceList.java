package io.belfry.server.presence;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The members of a subject at one moment. Immutable.
 *
 * @param users number of users
 * @param sessions number of their sessions
 * @param members the users in the order in which they joined; null if their list is too long
 */
public record PresenceList(
        int users, int sessions, @Nullable List<Entry> members) {
    /** The list of a subject without members. */
    static final PresenceList EMPTY = new PresenceList(0, 0, List.of());

    /**
     * A member.
     *
     * @param info the JSON text from the user's token, or null
     */
    public record Entry(String user, int sessions, @Nullable String info) {}
}
