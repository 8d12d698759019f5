package io.belfry.server.catchup;

import io.belfry.protocol.Code;
import io.belfry.server.session.Session;

/** Receives the sessions that read too slowly. Owner: the lane's loop. */
public interface SlowObserver {
    /**
     * Called when the server decides to skip messages of a session or to close it, possibly many times for one session. The code is
     * {@code CONFLATED} if only the latest message of each subject follows, else {@code SLOW_CONSUMER}.
     */
    void onSlow(Session session, Code code);
}
