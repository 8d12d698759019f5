package io.belfry.server.delivery;

import io.belfry.protocol.ConnectRequest;
import io.belfry.server.session.Session;

/** Executes connect commands after their token was accepted. Owner: the lane's loop. */
public interface ConnectAnswers {
    /** Answers a connect: names the client, and keeps or continues a session, as requested. */
    void connect(Session session, long id, ConnectRequest request);
}
