package io.belfry.server.session;

import io.belfry.server.subject.SubscriberList;
import java.util.function.IntConsumer;

/**
 * The subjects that a session subscribes to, with its index in each subject's subscriber list for fast removal. Owner: the
 * session's lane. A single subscription is stored in the session; several are an open table of subject and index.
 */
public final class Subscriptions implements SubscriberList.Moves {
    /** The id that means "no subject". */
    public static final int NONE = -1;

    private final SubscriberList lists;
    private final SessionTable sessions;

    public Subscriptions(SubscriberList lists, SessionTable sessions) {
        this.lists = lists;
        this.sessions = sessions;
    }

    public int count(Session session) {
        SubjectIndexes several = several(session);
        return several != null ? several.used : session.singleSubject() == NONE ? 0 : 1;
    }

    public boolean has(Session session, int subject) {
        SubjectIndexes several = several(session);
        return several != null ? several.find(subject) >= 0 : session.singleSubject() == subject;
    }

    public void add(Session session, int subject) {
        int index = lists.add(subject, session.slot());
        SubjectIndexes several = several(session);
        if (several == null && session.singleSubject() == NONE) {
            session.single(subject, index);
            return;
        }
        if (several == null) {
            several = new SubjectIndexes();
            several.put(session.singleSubject(), session.singleIndex());
            session.single(NONE, 0);
            session.extrasCreated().several = several;
        }
        several.put(subject, index);
    }

    public void remove(Session session, int subject) {
        SubjectIndexes several = several(session);
        int index = several != null ? several.remove(subject) : session.singleIndex();
        if (several == null) {
            session.single(NONE, 0);
        }
        lists.remove(subject, index, this);
    }

    public void forEach(Session session, IntConsumer action) {
        SubjectIndexes several = several(session);
        if (several != null) {
            several.forEach(action);
        } else if (session.singleSubject() != NONE) {
            action.accept(session.singleSubject());
        }
    }

    @Override
    public void onMoved(int subject, int slot, int index) {
        Session session = java.util.Objects.requireNonNull(sessions.at(slot), "a subscriber has a session");
        SubjectIndexes several = several(session);
        if (several != null) {
            several.put(subject, index);
        } else {
            session.single(subject, index);
        }
    }

    private static @org.jspecify.annotations.Nullable SubjectIndexes several(Session session) {
        Extras extras = session.extras();
        return extras == null ? null : extras.several;
    }
}
