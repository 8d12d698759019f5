package io.belfry.server.session;

import io.belfry.protocol.ConnectRequest;
import java.util.function.BooleanSupplier;

/** Operations of a session's own lane other than publishes. Owner: that lane's loop. */
public interface Routing {
    void subscribe(Session session, long id, byte[] subject, Terms terms);

    void unsubscribe(Session session, long id, byte[] subject);

    void watch(Session session, long id, byte[] subject);

    void unwatch(Session session, long id, byte[] subject);

    /**
     * Asks the entitlement provider about the request's token and sends the result to the client. If the client is accepted, its
     * session gets the requested ping interval, and is kept or continued as requested.
     */
    void authenticate(Session session, long id, ConnectRequest request);

    Replies repliesOf(Session session);

    /** Closes a session for a reason that its client receives. */
    void close(Session session, io.belfry.protocol.Code code, String reason);

    /** Does a long work in steps, in several turns if it takes long. A step returns whether there are more. */
    void work(BooleanSupplier step);

    long nowNanos();

    /** Returns the time in milliseconds since 1970. */
    long nowMillis();
}
