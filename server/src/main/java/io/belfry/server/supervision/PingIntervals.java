package io.belfry.server.supervision;

import io.belfry.server.config.PingConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.Session;
import io.belfry.server.turn.Ticks;

/** The ping intervals of a lane's sessions: the default, or one that the client requested. Owner: the lane's loop. */
public final class PingIntervals {
    private final PingConfig config;
    private final LoopCounters counters;
    private final OwnPings own = new OwnPings();

    public PingIntervals(PingConfig config, LoopCounters counters) {
        this.config = config;
        this.counters = counters;
    }

    static int ticksOf(int millis) {
        return (int) Math.max(1, millis / Ticks.MILLIS);
    }

    /** Returns the default interval in ticks. */
    int defaultTicks() {
        return ticksOf(config.millis());
    }

    /** Returns the sessions with an interval of their own. */
    OwnPings own() {
        return own;
    }

    /** Returns the number of sessions with an interval of their own. */
    public int ownPings() {
        return own.size();
    }

    /** Returns the ping interval of a session in ms. */
    public int pingMillis(Session session) {
        return session.hasOwnPing() ? own.of(session).millis() : config.millis();
    }

    /** Sets the ping interval that a client requested, or the nearest one within the bounds. */
    public void request(Session session, long millis) {
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
    public void forget(Session session) {
        if (session.hasOwnPing()) {
            own.remove(session);
            session.ownPing(false);
        }
    }
}
