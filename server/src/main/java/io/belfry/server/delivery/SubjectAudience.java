package io.belfry.server.delivery;

import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.session.Subscriptions;
import io.belfry.server.subject.SubscriberList;
import org.jspecify.annotations.Nullable;

/** The sessions that subscribe to the subject of a message by name. Owner: the lane's loop. */
final class SubjectAudience implements Audience {
    private final int subject;
    private final SessionTable sessions;
    private final SubscriberList subscribers;
    private final Subscriptions subscriptions;
    private final SubscriberList.Visit visit;

    /** Includes the sessions that subscribe now. */
    SubjectAudience(int subject, SessionTable sessions, SubscriberList subscribers, Subscriptions subscriptions) {
        this.subject = subject;
        this.sessions = sessions;
        this.subscribers = subscribers;
        this.subscriptions = subscriptions;
        visit = subscribers.beginVisit(subject);
    }

    @Override
    public boolean isEmpty() {
        return visit.left() == 0;
    }

    @Override
    public @Nullable Session next() {
        return sessions.at(visit.next());
    }

    @Override
    public boolean take(Session session) {
        int index = subscriptions.index(session, subject);
        return index >= 0 && visit.visit(index, subscriptions);
    }

    @Override
    public void end() {
        subscribers.endVisit(visit);
    }
}
