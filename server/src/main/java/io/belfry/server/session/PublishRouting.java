package io.belfry.server.session;

import io.belfry.protocol.PublishRequest;
import io.belfry.server.subject.SubjectKey;

/** The route of a session's publishes to the homes of their subjects. Owner: the session's lane's loop. */
public interface PublishRouting {
    /** Passes a valid and allowed publish to the subject's lane. */
    void publish(Session session, SubjectKey subject, PublishRequest request);
}
