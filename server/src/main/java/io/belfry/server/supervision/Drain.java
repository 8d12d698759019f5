package io.belfry.server.supervision;

import io.belfry.protocol.Code;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.turn.LongWork;
import io.belfry.server.turn.Turn;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Asks a lane's sessions to reconnect elsewhere, evenly over a time. Owner: the lane's loop.
 *
 * <p>A session is sent the time to reconnect, and from then on nothing more is read from it. It is closed a little later, so
 * that its earlier publishes are answered: an answer that waits for Kafka or a disk takes some turns. If more sessions are due
 * than a turn has time for, the next turns continue.
 */
public final class Drain {
    private static final long COME_BACK_MILLIS = 1000;

    /** Between 0.2 and 0.3 s. A publisher without an answer by then publishes again elsewhere, with the same msgId. */
    private static final int FAREWELL_TICKS = 3;

    /** Slots that one step examines at most, most of which have no session at the end of a drain. */
    private static final int SLOTS_OF_STEP = 256;

    private final Turn turn;
    private final LongWork work;
    private final SessionTable sessions;
    private final LaneReplies replies;
    private final SessionCloser closer;

    /** Notified sessions, in the order in which they are closed. */
    private final Deque<Leaving> leaving = new ArrayDeque<>();

    /** The slots of these sessions. A hash table of a million sessions would take milliseconds each time that it grows. */
    private final BitSet leavingSlots = new BitSet();

    private long fromNanos;
    private long overNanos;
    private int ticks;
    private int cursor;
    private boolean working;

    public Drain(Turn turn, LongWork work, SessionTable sessions, LaneReplies replies, SessionCloser closer) {
        this.turn = turn;
        this.work = work;
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
        if (!working) {
            working = true;
            cursor = sessions.bound() - 1;
            work.begin(this::step);
        }
    }

    /** Closes or notifies one session; returns whether more may be due. */
    private boolean step() {
        working = closeNext() || notifyNext();
        return working;
    }

    private boolean closeNext() {
        Leaving first = leaving.peek();
        if (first == null || first.closedAtTick > ticks) {
            return false;
        }
        leaving.remove();
        leavingSlots.clear(first.session.slot());
        closer.close(first.session, Code.DRAIN, "reconnect");
        return true;
    }

    private boolean notifyNext() {
        double left = 1 - Math.min(1, (turn.nowNanos() - fromNanos) / (double) overNanos);
        int mayStay = (int) (sessions.bound() * left);
        for (int slots = 0; cursor >= mayStay && slots < SLOTS_OF_STEP; slots++) {
            Session session = sessions.at(cursor--);
            if (session != null && !leavingSlots.get(session.slot())) {
                leavingSlots.set(session.slot());
                leaving.add(new Leaving(session, ticks + FAREWELL_TICKS));
                tell(session);
                return true;
            }
        }
        return cursor >= mayStay;
    }

    private void tell(Session session) {
        long after = ThreadLocalRandom.current().nextLong(COME_BACK_MILLIS);
        replies.of(session).reconnect(session, after, Code.DRAIN);
        session.outbound().pauseReading();
    }

    private record Leaving(Session session, int closedAtTick) {}
}
