package io.belfry.server.edge;

import io.belfry.server.delivery.Audience;
import io.belfry.server.session.PatternGroup;
import io.belfry.server.session.PatternSubscription;
import io.belfry.server.session.Session;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sessions whose patterns match the subject of a message. Owner: the lane's loop. */
final class PatternAudience implements Audience {
    private final int home;
    private final int subject;
    private final List<PatternGroup<PatternSubscription>> groups;
    private final PatternSubscribers subscribers;

    /** The group of the sessions that leave next; all sessions of the groups before it have left. */
    private int at;

    /** Includes the sessions that subscribe to the patterns of these groups now. */
    PatternAudience(
            int home, int subject, List<PatternGroup<PatternSubscription>> groups, PatternSubscribers subscribers) {
        this.home = home;
        this.subject = subject;
        this.groups = groups;
        this.subscribers = subscribers;
        groups.forEach(group -> group.beginVisit(this));
    }

    private @Nullable PatternSubscription first() {
        PatternSubscription first = null;
        while (first == null && at < groups.size()) {
            first = groups.get(at).next(this);
            at += first == null ? 1 : 0;
        }
        return first;
    }

    @Override
    public boolean isEmpty() {
        return first() == null;
    }

    @Override
    public @Nullable Session next() {
        PatternSubscription first = first();
        return first != null && take(first.session()) ? first.session() : null;
    }

    @Override
    public boolean take(Session session) {
        return subscribers.take(session, home, subject, this);
    }

    @Override
    public void end() {
        groups.forEach(group -> group.endVisit(this));
    }
}
