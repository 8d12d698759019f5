package io.belfry.server.delivery;

import io.belfry.server.session.Session;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that a message to very many sessions has still to be recorded for. Sessions leave it one by one, in any order;
 * those that subscribe later do not enter it. Owner: the lane's loop.
 */
public interface Audience {
    /** Returns whether no session is left. */
    boolean isEmpty();

    /** Removes one of the sessions and returns it, or null if the message is not for that session. Not called if it is empty. */
    @Nullable
    Session next();

    /** Removes this session, if the audience includes it; returns whether the message has to be recorded for it. */
    boolean take(Session session);

    /** Ends the audience. Called once, after the last session has left. */
    void end();
}
