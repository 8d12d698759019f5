package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
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
final class Drain {
    private static final long COME_BACK_MILLIS = 1000;

    /** Between 0.2 and 0.3 s. A publisher without an answer by then publishes again elsewhere, with the same msgId. */
    private static final int FAREWELL_TICKS = 3;

    private final Lane lane;
    private final SessionTable sessions;

    /** Notified sessions in that order, with the tick at which each is closed. */
    private final Map<Session, Integer> leaving = new LinkedHashMap<>();

    private long fromNanos;
    private long overNanos;
    private int ticks;

    Drain(Lane lane, SessionTable sessions) {
        this.lane = lane;
        this.sessions = sessions;
    }

    /** Starts the drain. A second start, as by a stop, gives the remaining sessions the new time. */
    void begin(long overMillis) {
        fromNanos = lane.nowNanos();
        overNanos = Math.max(1, overMillis) * 1_000_000;
    }

    void tick() {
        if (overNanos == 0) {
            return;
        }
        ticks++;
        closeThoseTold();
        double left = 1 - Math.min(1, (lane.nowNanos() - fromNanos) / (double) overNanos);
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
            lane.close(next.getKey(), Code.DRAIN, "reconnect");
        }
    }

    private void tell(Session session) {
        long after = ThreadLocalRandom.current().nextLong(COME_BACK_MILLIS);
        lane.repliesOf(session).reconnect(session, after, Code.DRAIN);
        session.outbound().pauseReading();
    }
}
