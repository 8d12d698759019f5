package io.belfry.server.edge;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.Conflation;
import io.belfry.server.session.Session;
import io.belfry.server.session.Subscriptions;
import java.util.function.IntConsumer;

/** The subscriptions of a lane's sessions by name, with and without conflation. Owner: the lane's loop. */
public final class NameSubscriptions {
    private final Subscriptions subscriptions;
    private final Conflation conflation;
    private final LoopCounters counters;

    public NameSubscriptions(Subscriptions subscriptions, Conflation conflation, LoopCounters counters) {
        this.subscriptions = subscriptions;
        this.conflation = conflation;
        this.counters = counters;
    }

    /** Returns whether the session subscribes to this subject by name. */
    boolean has(Session session, int subject) {
        return subscriptions.has(session, subject) || conflation.has(session, subject);
    }

    int count(Session session) {
        return subscriptions.count(session) + conflation.count(session);
    }

    void add(Session session, int subject, int conflateMillis) {
        if (conflateMillis > 0) {
            conflation.subscribe(session, subject, conflateMillis);
        } else {
            subscriptions.add(session, subject);
        }
        counters.increment(Counter.SUBSCRIPTIONS);
    }

    boolean isConflating(Session session, int subject) {
        return conflation.has(session, subject);
    }

    /** Removes a subscription that the session has, of the kind that {@link #isConflating} returned. */
    void remove(Session session, int subject, boolean conflating) {
        if (conflating) {
            conflation.unsubscribe(session, subject);
        } else {
            subscriptions.remove(session, subject);
        }
        counters.add(Counter.SUBSCRIPTIONS, -1);
    }

    /** Passes the session's subjects to the action, which may remove them. */
    void forEach(Session session, IntConsumer action) {
        subscriptions.forEach(session, action);
        conflation.namesOf(session).forEach(action::accept);
    }
}
