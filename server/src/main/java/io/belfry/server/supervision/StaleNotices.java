package io.belfry.server.supervision;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.turn.Turn;
import java.util.BitSet;
import java.util.function.Predicate;

/**
 * Notifies subscribers when their node becomes stale, cut off from the other nodes or behind them, and when it no longer is.
 * Owner: the lane's loop.
 *
 * <p>Each session is notified once, some of them per turn. Only sessions that were notified that the node is stale are
 * notified that it no longer is; if the outage ends during the notification, the remaining sessions receive neither notice.
 */
public final class StaleNotices {
    /** Number of sessions that can be written to in about a millisecond. */
    private static final int TOLD_PER_TURN = 128;

    private static final int LOOKED_AT_PER_TURN = 1 << 14;

    private final Turn turn;
    private final SessionTable sessions;
    private final Predicate<Session> subscribes;
    private final LaneReplies replies;
    private final LoopCounters counters;

    /** Slots of the sessions whose last notice was that the node is stale. */
    private final BitSet told = new BitSet();

    private boolean stale;
    private boolean sweeping;
    private int cursor;

    /** Creates the lane's notices; {@code subscribes} returns whether a session has subscriptions. */
    public StaleNotices(
            Turn turn,
            SessionTable sessions,
            Predicate<Session> subscribes,
            LaneReplies replies,
            LoopCounters counters) {
        this.turn = turn;
        this.replies = replies;
        this.sessions = sessions;
        this.subscribes = subscribes;
        this.counters = counters;
    }

    /** Called when the node becomes stale, or no longer is. */
    public void onStale(boolean now) {
        stale = now;
        cursor = 0;
        if (!sweeping) {
            sweeping = true;
            sweep();
        }
    }

    private void sweep() {
        int end = Math.min(sessions.bound(), cursor + LOOKED_AT_PER_TURN);
        int left = TOLD_PER_TURN;
        for (; cursor < end && left > 0; cursor++) {
            Session session = sessions.at(cursor);
            if (session != null && told.get(cursor) != stale && (!stale || subscribes.test(session))) {
                tell(session);
                left--;
            }
        }
        sweeping = cursor < sessions.bound();
        if (sweeping) {
            turn.next(this::sweep);
        }
    }

    private void tell(Session session) {
        told.set(session.slot(), stale);
        counters.increment(Counter.STALE_NOTICES);
        replies.of(session).stale(session, stale);
    }

    /** Called for a subscription, because its messages may be late. */
    public void onSubscribe(Session session) {
        if (stale && !told.get(session.slot())) {
            tell(session);
        }
    }

    /** Removes a closed session. */
    public void forget(Session session) {
        told.clear(session.slot());
    }
}
