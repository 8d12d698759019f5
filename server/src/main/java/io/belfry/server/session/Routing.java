package io.belfry.server.session;

import io.belfry.protocol.PublishRequest;
import io.belfry.server.subject.SubjectKey;
import org.jspecify.annotations.Nullable;

/** What a session asks of the lane it is homed on. Owner: that lane's loop. */
public interface Routing {
    /** Takes a valid, allowed publish to the subject's lane. */
    void publish(Session session, SubjectKey subject, PublishRequest request);

    void subscribe(Session session, long id, byte[] subject, Terms terms);

    void unsubscribe(Session session, long id, byte[] subject);

    void watch(Session session, long id, byte[] subject);

    void unwatch(Session session, long id, byte[] subject);

    /** Asks the entitlement about a token and tells the client what came of it. */
    void authenticate(Session session, long id, @Nullable String token);

    Replies repliesOf(Session session);

    /** Ends a session for a reason that its client is told. */
    void close(Session session, io.belfry.protocol.Code code, String reason);

    long nowNanos();

    /** What time it is, in milliseconds since 1970. */
    long nowMillis();
}
