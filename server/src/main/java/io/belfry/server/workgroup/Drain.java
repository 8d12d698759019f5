package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Sends a lane's sessions away, evenly over a time. Owner: the lane's loop.
 *
 * <p>A session is told when to come back, and from then on nothing more is read of it. It is closed a little later, so that
 * what it published before is answered: where Kafka or a disk has to have it first, that takes some turns.
 */
final class Drain {
    private static final long COME_BACK_MILLIS = 1000;

    /** A fifth to three tenths of a second. Who is not answered by then publishes again elsewhere, under the same msgId. */
    private static final int FAREWELL_TICKS = 3;

    private final Lane lane;
    private final SessionTable sessions;

    /** Those that were told, in that order, and the tick with which each is closed. */
    private final Map<Session, Integer> leaving = new LinkedHashMap<>();

    private long fromNanos;
    private long overNanos;
    private int ticks;

    Drain(Lane lane, SessionTable sessions) {
        this.lane = lane;
        this.sessions = sessions;
    }

    /** Begun again, as a stop does, the rest goes within the new time. */
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
