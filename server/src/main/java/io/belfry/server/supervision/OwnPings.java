package io.belfry.server.supervision;

import io.belfry.server.session.Session;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.TreeSet;

/**
 * The sessions with a ping interval of their own, in the order of their next checks. Sessions with the default interval
 * are never entered. Owner: the lane's loop.
 */
final class OwnPings {
    /** The interval of one session and the tick of its next check. */
    static final class OwnPing {
        private final Session session;
        private final int millis;
        private int dueTicks;

        private OwnPing(Session session, int millis, int dueTicks) {
            this.session = session;
            this.millis = millis;
            this.dueTicks = dueTicks;
        }

        Session session() {
            return session;
        }

        int millis() {
            return millis;
        }

        private int dueTicks() {
            return dueTicks;
        }

        private int slot() {
            return session.slot();
        }
    }

    private final IdentityHashMap<Session, OwnPing> bySession = new IdentityHashMap<>(1);
    private final TreeSet<OwnPing> byDue =
            new TreeSet<>(Comparator.comparingInt(OwnPing::dueTicks).thenComparingInt(OwnPing::slot));

    int size() {
        return bySession.size();
    }

    /** Returns the entry of a session that has one. */
    OwnPing of(Session session) {
        return Objects.requireNonNull(bySession.get(session), "a session without an interval of its own");
    }

    /** Sets the interval of a session instead of an earlier one. */
    void set(Session session, int millis, int dueTicks) {
        remove(session);
        OwnPing entry = new OwnPing(session, millis, dueTicks);
        bySession.put(session, entry);
        byDue.add(entry);
    }

    void remove(Session session) {
        OwnPing entry = bySession.remove(session);
        if (entry != null) {
            byDue.remove(entry);
        }
    }

    /** Returns whether the time of an entry has come. */
    boolean isDue(int ticks) {
        return !byDue.isEmpty() && byDue.first().dueTicks <= ticks;
    }

    /** Removes an entry whose time has come; the caller schedules it again or removes its session. */
    OwnPing takeDue() {
        return Objects.requireNonNull(byDue.pollFirst());
    }

    /** Sets the tick of the next check, which must not be this one. */
    void schedule(OwnPing entry, int dueTicks) {
        entry.dueTicks = dueTicks;
        byDue.add(entry);
    }
}
