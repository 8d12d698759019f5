package io.belfry.server.supervision;

import io.belfry.server.session.Session;
import java.util.List;

/** The subscriptions and watches of sessions, which end when a new token does not allow them. Owner: the lane's loop. */
public interface Revocable {
    /** Returns the session's patterns, then its subjects. */
    List<byte[]> followedBy(Session session);

    /** Ends a subscription; returns whether the session had it. */
    boolean drop(Session session, byte[] subject);

    /** Returns the subjects that the session watches. */
    List<byte[]> watchedBy(Session session);

    /** Reports the session's subscriptions under its present user to presence. */
    void renewMemberships(Session session);

    /** Ends a watch. */
    void endWatch(Session session, byte[] subject);
}
