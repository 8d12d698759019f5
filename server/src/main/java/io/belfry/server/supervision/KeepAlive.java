package io.belfry.server.supervision;

import io.belfry.protocol.Code;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.turn.LongWork;
import io.belfry.server.turn.Ticks;
import io.belfry.server.turn.Turn;
import java.util.function.Predicate;

/**
 * Pings the silent sessions of a lane and closes those that do not answer. Owner: the lane's loop.
 *
 * <p>The lane's sessions are checked in rounds, some of them in each tick. A round also frees what idle sessions do not need. Sessions with a ping interval of their own
 * are left out: they are checked when the silence that their interval allows can be over.
 */
public final class KeepAlive {
    /** Number of times that a session is checked within one ping interval. */
    private static final int CHECKS_PER_PING = 4;

    private static final int PING_INTERVALS_MAX = 2;

    /** Sessions checked in one step, most of which take some nanoseconds. */
    private static final int SESSIONS_OF_STEP = 16;

    private final Turn turn;
    private final LongWork work;
    private final SessionTable sessions;
    private final Ticks ticks;
    private final PingIntervals intervals;
    private final Rights rights;
    private final Predicate<Session> hasTaken;
    private final SessionCloser closer;
    private final int defaultTicks;
    private int cursor;
    private long credit;

    /** Sessions still to check in the present round. */
    private long left;

    private boolean checking;
    private boolean checkingOwn;

    /** Creates the lane's part; {@code hasTaken} returns whether the socket of a stalled session took bytes since the last check. */
    public KeepAlive(
            Turn turn,
            LongWork work,
            SessionTable sessions,
            Ticks ticks,
            PingIntervals intervals,
            Rights rights,
            Predicate<Session> hasTaken,
            SessionCloser closer) {
        this.turn = turn;
        this.work = work;
        this.sessions = sessions;
        this.ticks = ticks;
        this.intervals = intervals;
        this.rights = rights;
        this.hasTaken = hasTaken;
        this.closer = closer;
        defaultTicks = intervals.defaultTicks();
    }

    /** Checks a share of the sessions, and those with an interval of their own whose time has come. */
    public void check() {
        credit += (long) sessions.bound() * CHECKS_PER_PING;
        left = Math.min(sessions.bound(), left + credit / defaultTicks);
        credit %= defaultTicks;
        if (left > 0 && !checking) {
            checking = true;
            work.begin(this::checkSome);
        }
        if (!checkingOwn && intervals.own().isDue(ticks.count())) {
            checkingOwn = true;
            work.begin(this::checkNextOwn);
        }
    }

    /** Checks one session with an interval of its own; returns whether there are more. */
    private boolean checkNextOwn() {
        if (intervals.own().isDue(ticks.count())) {
            checkOwn(intervals.own().takeDue());
        }
        checkingOwn = intervals.own().isDue(ticks.count());
        return checkingOwn;
    }

    /** Checks some sessions; returns whether there are more. The end of very many at once takes several turns. */
    private boolean checkSome() {
        for (int i = 0; i < SESSIONS_OF_STEP && left > 0; i++, left--) {
            cursor = cursor + 1 < sessions.bound() ? cursor + 1 : 0;
            Session session = sessions.at(cursor);
            if (session != null) {
                checkInRound(session);
            }
        }
        checking = left > 0;
        return checking;
    }

    private void checkInRound(Session session) {
        rights.look(session);
        session.dropIdleExtras(turn.nowNanos());
        if (!session.isClosed() && !session.isDetached() && !session.hasOwnPing()) {
            check(session, defaultTicks);
        }
    }

    private void checkOwn(OwnPings.OwnPing entry) {
        Session session = entry.session();
        int pingTicks = PingIntervals.ticksOf(entry.millis());
        check(session, pingTicks);
        if (!session.isClosed() && session.hasOwnPing()) {
            intervals.own().schedule(entry, Math.max(ticks.count() + 1, nextCheck(session.lastHeard(), pingTicks)));
        }
    }

    private int nextCheck(int heard, int pingTicks) {
        return ticks.count() - heard < pingTicks
                ? heard + pingTicks
                : Math.min(ticks.count() + pingTicks / CHECKS_PER_PING, heard + PING_INTERVALS_MAX * pingTicks + 1);
    }

    private void check(Session session, int pingTicks) {
        int silentTicks = ticks.count() - session.lastHeard();
        if (hasTaken.test(session)) {
            session.onHeard(ticks.count());
        } else if (silentTicks >= pingTicks) {
            checkSilent(session, silentTicks, pingTicks);
        }
    }

    private void checkSilent(Session session, int silentTicks, int pingTicks) {
        int acknowledged = acknowledgedTicks(session, silentTicks, pingTicks);
        if (acknowledged < silentTicks) {
            session.onHeard(ticks.count() - acknowledged);
        } else if (silentTicks > pingTicks * PING_INTERVALS_MAX) {
            closer.close(session, Code.PING_TIMEOUT, "no answer to a ping");
        } else if (session.isReady() && !session.outbound().ping()) {
            session.onHeard(ticks.count());
        }
    }

    /** Not before the keep-alive of the first check had time to be acknowledged: one system call per session and interval. */
    private static int acknowledgedTicks(Session session, int silentTicks, int pingTicks) {
        if (!session.isReady() || silentTicks <= pingTicks + pingTicks / CHECKS_PER_PING - 1) {
            return silentTicks;
        }
        long silentMillis = Math.min(Integer.MAX_VALUE, silentTicks * Ticks.MILLIS);
        long limitMillis = Ticks.MILLIS * pingTicks * PING_INTERVALS_MAX;
        return (int) (session.outbound().acknowledgedMillis((int) silentMillis, (int) limitMillis) / Ticks.MILLIS);
    }
}
