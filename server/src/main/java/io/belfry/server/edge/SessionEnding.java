package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.FanOut;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import java.util.List;
import java.util.function.Consumer;

/** Closes the sessions of a lane and removes everything about them. Owner: the lane's loop. */
public final class SessionEnding implements SessionCloser {
    private final SessionTable sessions;
    private final FanOut fanOut;
    private final LoopCounters counters;
    private final List<Consumer<Session>> removals;

    /** Creates the lane's part; {@code removals} remove a closed session from the lane's other parts, in this order. */
    public SessionEnding(
            SessionTable sessions, FanOut fanOut, LoopCounters counters, List<Consumer<Session>> removals) {
        this.sessions = sessions;
        this.fanOut = fanOut;
        this.counters = counters;
        this.removals = removals;
    }

    @Override
    public void close(Session session, Code code, String reason) {
        if (!session.isClosed()) {
            if (code != Code.INTERNAL) {
                fanOut.stagePending(session);
            }
            session.outbound().close(code, reason);
            end(session, code);
        }
    }

    /** Removes everything about a session; the caller closes its connection. */
    public void end(Session session, Code code) {
        if (session.isClosed()) {
            return;
        }
        session.onClosed();
        counters.closed(code);
        counters.increment(Counter.SESSIONS_CLOSED);
        fanOut.forget(session);
        removals.forEach(each -> each.accept(session));
        sessions.remove(session);
    }
}
