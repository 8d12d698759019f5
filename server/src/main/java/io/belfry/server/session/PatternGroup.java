package io.belfry.server.session;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of a lane's sessions to one pattern. Owner: the lane's loop.
 *
 * <p>Those that conflate are in a list of their own, because they do not get each message. Each subscription has its place in
 * its list, so that a removal takes constant time.
 */
public final class PatternGroup<T extends PatternGroup.Member> {
    /** The methods of a subscription that its group calls. */
    public interface Member {
        boolean isConflating();

        /** Returns the index in its list of the group. */
        int place();

        void place(int place);
    }

    /**
     * The subscriptions that a message has still to be recorded for: those that were present when the visit began, and are
     * neither visited nor removed. They are the first ones of the list, as in {@code SubscriberList.Visit}.
     */
    private static final class Visit {
        private final Object message;
        private int left;

        private Visit(Object message, int left) {
            this.message = message;
            this.left = left;
        }
    }

    /** Subscriptions beyond which the memory of a list is freed when most of them have ended. */
    private static final int KEPT = 64;

    private final ArrayList<T> plain = new ArrayList<>(1);
    private final ArrayList<T> conflating = new ArrayList<>(0);
    private final List<Visit> visits = new ArrayList<>(0);
    private int most;

    /** Returns the subscriptions that get each message. The receiver does not change the list. */
    public List<T> plain() {
        return plain;
    }

    /** Returns the subscriptions that get at most one message of a subject in an interval. The receiver does not change the list. */
    public List<T> conflating() {
        return conflating;
    }

    public boolean isEmpty() {
        return plain.isEmpty() && conflating.isEmpty();
    }

    private List<T> listOf(T subscription) {
        return subscription.isConflating() ? conflating : plain;
    }

    /** Adds a new subscription; no present visit includes it. */
    public void add(T subscription) {
        List<T> list = listOf(subscription);
        subscription.place(list.size());
        list.add(subscription);
        most = Math.max(most, list.size());
    }

    /** Removes a subscription, which no visit returns any more. */
    public void remove(T subscription) {
        List<T> list = listOf(subscription);
        if (!subscription.isConflating()) {
            // From the oldest visit to the newest: the subscriptions left to a visit are among those left to a newer
            // one.
            visits.forEach(visit -> skip(visit, subscription));
        }
        T last = list.removeLast();
        if (subscription.place() < list.size()) {
            list.set(subscription.place(), last);
            last.place(subscription.place());
        }
        if (most > KEPT && plain.size() + conflating.size() < most / 4) {
            plain.trimToSize();
            conflating.trimToSize();
            most = plain.size() + conflating.size();
        }
    }

    // ---- visits ----

    /** Begins to visit the present subscriptions for a message, which any object identifies; ended by {@link #endVisit}. */
    public void beginVisit(Object message) {
        visits.add(new Visit(message, plain.size()));
    }

    @SuppressWarnings("ReferenceEquality") // A message is one object.
    public void endVisit(Object message) {
        visits.removeIf(visit -> visit.message == message);
    }

    /** Returns a subscription that was not visited for the message, without visiting it, or null if all were. */
    public @Nullable T next(Object message) {
        Visit visit = visit(message);
        return visit == null || visit.left == 0 ? null : plain.get(visit.left - 1);
    }

    /** Visits a subscription of this group for the message; returns false if it was visited, or began later. */
    public boolean visit(Object message, T subscription) {
        Visit visit = visit(message);
        return visit != null && skip(visit, subscription);
    }

    @SuppressWarnings("ReferenceEquality") // A message is one object.
    private @Nullable Visit visit(Object message) {
        for (Visit each : visits) {
            if (each.message == message) {
                return each;
            }
        }
        return null;
    }

    /** Moves the subscription behind those that are left to the visit; returns whether it was one of them. */
    private boolean skip(Visit visit, T subscription) {
        int at = subscription.place();
        if (at >= visit.left) {
            return false;
        }
        int last = --visit.left;
        T other = plain.get(last);
        plain.set(at, other);
        other.place(at);
        plain.set(last, subscription);
        subscription.place(last);
        return true;
    }
}
