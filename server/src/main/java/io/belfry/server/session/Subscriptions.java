package io.belfry.server.session;

import io.belfry.server.subject.SubscriberList;
import java.util.Arrays;
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
        Several several = several(session);
        return several != null ? several.used : session.singleSubject() == NONE ? 0 : 1;
    }

    public boolean has(Session session, int subject) {
        Several several = several(session);
        return several != null ? several.find(subject) >= 0 : session.singleSubject() == subject;
    }

    public void add(Session session, int subject) {
        int index = lists.add(subject, session.slot());
        Several several = several(session);
        if (several == null && session.singleSubject() == NONE) {
            session.single(subject, index);
            return;
        }
        if (several == null) {
            several = new Several();
            several.put(session.singleSubject(), session.singleIndex());
            session.single(NONE, 0);
            session.extrasCreated().several = several;
        }
        several.put(subject, index);
    }

    public void remove(Session session, int subject) {
        Several several = several(session);
        int index = several != null ? several.remove(subject) : session.singleIndex();
        if (several == null) {
            session.single(NONE, 0);
        }
        lists.remove(subject, index, this);
    }

    public void forEach(Session session, IntConsumer action) {
        Several several = several(session);
        if (several != null) {
            several.forEach(action);
        } else if (session.singleSubject() != NONE) {
            action.accept(session.singleSubject());
        }
    }

    @Override
    public void onMoved(int subject, int slot, int index) {
        Session session = java.util.Objects.requireNonNull(sessions.at(slot), "a subscriber has a session");
        Several several = several(session);
        if (several != null) {
            several.put(subject, index);
        } else {
            session.single(subject, index);
        }
    }

    private static @org.jspecify.annotations.Nullable Several several(Session session) {
        Extras extras = session.extras();
        return extras == null ? null : extras.several;
    }

    /** Maps subjects to indexes by open addressing in one int array. */
    static final class Several {
        private static final int INITIAL = 8;

        private int[] slots = filled(INITIAL);
        int used;

        private static int[] filled(int entries) {
            int[] slots = new int[entries * 2];
            Arrays.fill(slots, NONE);
            return slots;
        }

        int find(int subject) {
            int mask = slots.length / 2 - 1;
            int at = hash(subject) & mask;
            while (slots[at * 2] != NONE) {
                if (slots[at * 2] == subject) {
                    return at;
                }
                at = at + 1 & mask;
            }
            return -1;
        }

        void put(int subject, int index) {
            int at = find(subject);
            if (at >= 0) {
                slots[at * 2 + 1] = index;
                return;
            }
            if ((used + 1) * 8 > slots.length * 3) {
                resize(slots.length);
            }
            place(slots, subject, index);
            used++;
        }

        int remove(int subject) {
            int hole = find(subject);
            int index = slots[hole * 2 + 1];
            int mask = slots.length / 2 - 1;
            for (int at = hole + 1 & mask; slots[at * 2] != NONE; at = at + 1 & mask) {
                if ((at - hash(slots[at * 2]) & mask) >= (at - hole & mask)) {
                    slots[hole * 2] = slots[at * 2];
                    slots[hole * 2 + 1] = slots[at * 2 + 1];
                    hole = at;
                }
            }
            slots[hole * 2] = NONE;
            used--;
            if (slots.length > 2 * INITIAL && used * 16 < slots.length) {
                resize(slots.length / 4);
            }
            return index;
        }

        void forEach(IntConsumer action) {
            int[] snapshot = slots.clone();
            for (int i = 0; i < snapshot.length; i += 2) {
                if (snapshot[i] != NONE) {
                    action.accept(snapshot[i]);
                }
            }
        }

        int capacity() {
            return slots.length / 2;
        }

        private void resize(int entries) {
            int[] after = filled(entries);
            for (int i = 0; i < slots.length; i += 2) {
                if (slots[i] != NONE) {
                    place(after, slots[i], slots[i + 1]);
                }
            }
            slots = after;
        }

        private static void place(int[] into, int subject, int index) {
            int mask = into.length / 2 - 1;
            int at = hash(subject) & mask;
            while (into[at * 2] != NONE) {
                at = at + 1 & mask;
            }
            into[at * 2] = subject;
            into[at * 2 + 1] = index;
        }

        private static int hash(int subject) {
            int h = subject * 0x9E3779B9;
            return h ^ h >>> 16;
        }
    }
}
