package io.belfry.server.supervision;

import io.belfry.protocol.Code;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.turn.Turn;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Asks a lane's sessions to reconnect elsewhere, evenly over a time. Owner: the lane's loop.
 *
 * <p>A session is sent the time to reconnect, and from then on nothing more is read from it. It is closed a little later, so
 * that its earlier publishes are answered: an answer that waits for Kafka or a disk takes some turns.
 */
public final class Drain {
    private static final long COME_BACK_MILLIS = 1000;

    /** Between 0.2 and 0.3 s. A publisher without an answer by then publishes again elsewhere, with the same msgId. */
    private static final int FAREWELL_TICKS = 3;

    private final Turn turn;
    private final SessionTable sessions;
    private final LaneReplies replies;
    private final SessionCloser closer;

    /** Notified sessions in that order, with the tick at which each is closed. */
    private final Map<Session, Integer> leaving = new LinkedHashMap<>();

    private long fromNanos;
    private long overNanos;
    private int ticks;

    public Drain(Turn turn, SessionTable sessions, LaneReplies replies, SessionCloser closer) {
        this.turn = turn;
        this.sessions = sessions;
        this.replies = replies;
        this.closer = closer;
    }

    /** Starts the drain. A second start, as by a stop, gives the remaining sessions the new time. */
    public void begin(long overMillis) {
        fromNanos = turn.nowNanos();
        overNanos = Math.max(1, overMillis) * 1_000_000;
    }

    /** Notifies and closes the sessions that are due. */
    public void tick() {
        if (overNanos == 0) {
            return;
        }
        ticks++;
        closeThoseTold();
        double left = 1 - Math.min(1, (turn.nowNanos() - fromNanos) / (double) overNanos);
        int mayStay = (int) (sessions.bound() * left);
        for (int slot = sessions.bound() - 1; slot >= mayStay; slot--) {
            Session session = sessions.at(slot);
            if (session != null && leaving.putIfAbsent(session, ticks + FAREWELL_TICKS) == null) {
                tell(session);
            }
        }
    }

    private void closeThoseTold() {
        Iterator<Map.Entry<Session, Integer>> told = leaving.entrySet().iterator();
        while (told.hasNext()) {
            Map.Entry<Session, Integer> next = told.next();
            if (next.getValue() > ticks) {
                return;
            }
            told.remove();
            closer.close(next.getKey(), Code.DRAIN, "reconnect");
        }
    }

    private void tell(Session session) {
        long after = ThreadLocalRandom.current().nextLong(COME_BACK_MILLIS);
        replies.of(session).reconnect(session, after, Code.DRAIN);
        session.outbound().pauseReading();
    }
}
