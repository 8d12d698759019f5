package io.belfry.server.delivery;

import io.belfry.protocol.Code;
import io.belfry.server.session.Session;

/** Keeps sessions after their connections are lost. Owner: the lane's loop. */
public interface SessionKeeper {
    /** Keeps a session whose connection has ended, if its client asked for that; returns whether it is kept. */
    boolean keep(Session session, Code ended);

    /** Forgets a session that was kept, because it ends now. */
    void forget(Session session);
}
