package io.belfry.server.delivery;

import io.belfry.protocol.Code;
import io.belfry.protocol.KeptSession;
import io.belfry.server.session.Session;
import org.jspecify.annotations.Nullable;

/** Keeps sessions after their connections are lost. Owner: the lane's loop. */
public interface SessionKeeper {
    /** Answers a connect whose token was accepted; {@code asked} is what the client wants for its session, or null. */
    void connect(Session session, long id, @Nullable KeptSession asked);

    /** Keeps a session whose connection has ended, if its client asked for that; returns whether it is kept. */
    boolean keep(Session session, Code ended);

    /** Forgets a session that was kept, because it ends now. */
    void forget(Session session);
}
