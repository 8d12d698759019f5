package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.server.config.PingConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import java.util.function.Consumer;

/**
 * Pings the silent sessions of a lane and closes those that do not answer. Owner: the lane's loop.
 *
 * <p>The lane's sessions are checked in rounds, some of them in each tick. Sessions with a ping interval of their own
 * are left out: they are checked when the silence that their interval allows can be over.
 */
final class KeepAlive {
    /** Number of times that a session is checked within one ping interval. */
    private static final int CHECKS_PER_PING = 4;

    private static final int PING_INTERVALS_MAX = 2;

    private final Lane lane;
    private final Edge edge;
    private final SessionTable sessions;
    private final LoopCounters counters;
    private final PingConfig config;
    private final int defaultTicks;
    private final OwnPings own = new OwnPings();
    private final Consumer<OwnPings.OwnPing> checkOwn = this::checkOwn;
    private int ticks;
    private int cursor;
    private long credit;

    KeepAlive(Lane lane, Edge edge, SessionTable sessions, LoopCounters counters, PingConfig config) {
        this.lane = lane;
        this.edge = edge;
        this.sessions = sessions;
        this.counters = counters;
        this.config = config;
        defaultTicks = ticksOf(config.millis());
    }

    private static int ticksOf(int millis) {
        return (int) Math.max(1, millis / Lane.TICK_MILLIS);
    }

    /** Returns the number of ticks so far, which is the clock of silence. */
    int ticks() {
        return ticks;
    }

    void advance() {
        ticks++;
    }

    /** Returns the number of sessions with an interval of their own. */
    int ownPings() {
        return own.size();
    }

    /** Returns the ping interval of a session in ms. */
    int pingMillis(Session session) {
        return session.hasOwnPing() ? own.of(session).millis() : config.millis();
    }

    /** Sets the ping interval that a client requested, or the nearest one within the bounds. */
    void request(Session session, long millis) {
        int within = config.within(millis);
        if (within != millis) {
            counters.increment(Counter.PING_INTERVALS_CLAMPED);
        }
        if (within == config.millis()) {
            forget(session);
        } else {
            own.set(session, within, session.lastHeard() + ticksOf(within));
            session.ownPing(true);
        }
    }

    /** Returns a session to the default interval; called for closed sessions too. */
    void forget(Session session) {
        if (session.hasOwnPing()) {
            own.remove(session);
            session.ownPing(false);
        }
    }

    /** Checks a share of the sessions, and those with an interval of their own whose time has come. */
    void check() {
        credit += (long) sessions.bound() * CHECKS_PER_PING;
        long share = Math.min(sessions.bound(), credit / defaultTicks);
        credit %= defaultTicks;
        for (int i = 0; i < share; i++) {
            cursor = cursor + 1 < sessions.bound() ? cursor + 1 : 0;
            Session session = sessions.at(cursor);
            if (session != null) {
                checkInRound(session);
            }
        }
        own.due(ticks, checkOwn);
    }

    private void checkInRound(Session session) {
        edge.rights().look(session);
        if (!session.isClosed() && !session.hasOwnPing()) {
            check(session, defaultTicks);
        }
    }

    private void checkOwn(OwnPings.OwnPing entry) {
        Session session = entry.session();
        int pingTicks = ticksOf(entry.millis());
        check(session, pingTicks);
        if (!session.isClosed()) {
            own.schedule(entry, Math.max(ticks + 1, nextCheck(session.lastHeard(), pingTicks)));
        }
    }

    private int nextCheck(int heard, int pingTicks) {
        return ticks - heard < pingTicks
                ? heard + pingTicks
                : Math.min(ticks + pingTicks / CHECKS_PER_PING, heard + PING_INTERVALS_MAX * pingTicks + 1);
    }

    private void check(Session session, int pingTicks) {
        int silentTicks = ticks - session.lastHeard();
        if (edge.slow().hasTaken(session)) {
            session.onHeard(ticks);
        } else if (silentTicks >= pingTicks) {
            checkSilent(session, silentTicks, pingTicks);
        }
    }

    private void checkSilent(Session session, int silentTicks, int pingTicks) {
        int acknowledged = acknowledgedTicks(session, silentTicks, pingTicks);
        if (acknowledged < silentTicks) {
            session.onHeard(ticks - acknowledged);
        } else if (silentTicks > pingTicks * PING_INTERVALS_MAX) {
            lane.close(session, Code.PING_TIMEOUT, "no answer to a ping");
        } else if (session.isReady() && !session.outbound().ping()) {
            session.onHeard(ticks);
        }
    }

    /** Not before the keep-alive of the first check had time to be acknowledged: one system call per session and interval. */
    private static int acknowledgedTicks(Session session, int silentTicks, int pingTicks) {
        if (!session.isReady() || silentTicks <= pingTicks + pingTicks / CHECKS_PER_PING - 1) {
            return silentTicks;
        }
        long silentMillis = Math.min(Integer.MAX_VALUE, silentTicks * Lane.TICK_MILLIS);
        long limitMillis = Lane.TICK_MILLIS * pingTicks * PING_INTERVALS_MAX;
        return (int) (session.outbound().acknowledgedMillis((int) silentMillis, (int) limitMillis) / Lane.TICK_MILLIS);
    }
}
