package io.belfry.server.session;

import io.belfry.server.subject.IntColumn;
import io.belfry.server.subject.SubscriberList;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The subjects that a session subscribes to, with its index in each subject's subscriber list for fast removal. Owner: the
 * session's lane.
 *
 * <p>A single subscription is stored in the session, two to eight in one array ({@link FewSubjects}), and more in an open table
 * ({@link SubjectIndexes}). The index of a single subscription is in a column, which takes memory only for subjects with several
 * subscribers: the only subscriber of a subject has index 0.
 */
public final class Subscriptions implements SubscriberList.Moves {
    /** The id that means "no subject". */
    public static final int NONE = -1;

    private final SubscriberList lists;
    private final SessionTable sessions;

    /** For each slot the index of the session's single subscription. */
    private final IntColumn singleIndexes = new IntColumn();

    public Subscriptions(SubscriberList lists, SessionTable sessions) {
        this.lists = lists;
        this.sessions = sessions;
    }

    public int count(Session session) {
        if (session.singleSubject() != NONE) {
            return 1;
        }
        int[] few = session.few();
        if (few != null) {
            return FewSubjects.count(few);
        }
        SubjectIndexes many = session.many();
        return many == null ? 0 : many.used();
    }

    public boolean has(Session session, int subject) {
        return index(session, subject) >= 0;
    }

    /** Returns the session's index in the list of the subject's subscribers, or -1. */
    public int index(Session session, int subject) {
        int single = session.singleSubject();
        if (single != NONE) {
            return single == subject ? singleIndexes.at(session.slot()) : -1;
        }
        int[] few = session.few();
        if (few != null) {
            int at = FewSubjects.find(few, subject);
            return at < 0 ? -1 : FewSubjects.index(few, at);
        }
        SubjectIndexes many = session.many();
        return many == null ? -1 : many.index(subject);
    }

    public void add(Session session, int subject) {
        int index = lists.add(subject, session.slot());
        int single = session.singleSubject();
        int[] few = session.few();
        SubjectIndexes many = session.many();
        if (many != null) {
            many.put(subject, index);
        } else if (few != null) {
            addToFew(session, few, subject, index);
        } else if (single == NONE) {
            single(session, subject, index);
        } else {
            session.few(FewSubjects.of(single, singleIndexes.at(session.slot()), subject, index));
            single(session, NONE, 0);
        }
    }

    private static void addToFew(Session session, int[] few, int subject, int index) {
        if (FewSubjects.count(few) < FewSubjects.MAX) {
            session.few(FewSubjects.with(few, subject, index));
            return;
        }
        SubjectIndexes many = new SubjectIndexes();
        for (int at = 0; at < few.length; at += 2) {
            many.put(FewSubjects.subject(few, at), FewSubjects.index(few, at));
        }
        many.put(subject, index);
        session.few(null);
        session.extrasCreated().many = many;
    }

    public void remove(Session session, int subject) {
        lists.remove(subject, forget(session, subject), this);
    }

    /** Removes the subject from the session and returns its index. */
    private int forget(Session session, int subject) {
        SubjectIndexes many = session.many();
        int[] few = session.few();
        int index;
        if (many != null) {
            index = many.remove(subject);
            dropIfEmpty(session, many);
        } else if (few != null) {
            int at = FewSubjects.find(few, subject);
            index = FewSubjects.index(few, at);
            keep(session, FewSubjects.without(few, at));
        } else {
            index = singleIndexes.at(session.slot());
            single(session, NONE, 0);
        }
        return index;
    }

    private void keep(Session session, int[] left) {
        if (FewSubjects.count(left) > 1) {
            session.few(left);
        } else {
            session.few(null);
            single(session, FewSubjects.subject(left, 0), FewSubjects.index(left, 0));
        }
    }

    private static void dropIfEmpty(Session session, SubjectIndexes many) {
        if (many.used() == 0) {
            session.extrasCreated().many = null;
            session.dropExtrasIfEmpty();
        }
    }

    private void single(Session session, int subject, int index) {
        session.single(subject);
        singleIndexes.set(session.slot(), index);
    }

    /** Passes the session's subjects to the action, which may remove them. */
    public void forEach(Session session, IntConsumer action) {
        int single = session.singleSubject();
        int[] few = session.few();
        SubjectIndexes many = session.many();
        if (many != null) {
            many.forEach(action);
        } else if (few != null) {
            // Removals replace the array.
            for (int at = 0; at < few.length; at += 2) {
                action.accept(FewSubjects.subject(few, at));
            }
        } else if (single != NONE) {
            action.accept(single);
        }
    }

    @Override
    public void onMoved(int subject, int slot, int index) {
        Session session = java.util.Objects.requireNonNull(sessions.at(slot), "a subscriber has a session");
        int @Nullable [] few = session.few();
        SubjectIndexes many = session.many();
        if (many != null) {
            many.put(subject, index);
        } else if (few != null) {
            FewSubjects.setIndex(few, FewSubjects.find(few, subject), index);
        } else {
            singleIndexes.set(slot, index);
        }
    }
}
