package io.belfry.server.delivery;

import io.belfry.protocol.Code;
import io.belfry.server.session.Session;

/** Closes a session for a reason that its client receives. Owner: the lane's loop. */
@FunctionalInterface
public interface SessionCloser {
    /** Closes the session's connection after its pending bytes, and ends the session. A closed session is left alone. */
    void close(Session session, Code code, String reason);
}
