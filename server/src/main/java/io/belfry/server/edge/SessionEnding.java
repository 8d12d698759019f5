package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.FanOut;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.delivery.SessionKeeper;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Closes the sessions of a lane and removes everything about them. Owner: the lane's loop. */
public final class SessionEnding implements SessionCloser {
    private final SessionTable sessions;
    private final FanOut fanOut;
    private final LoopCounters counters;
    private final SessionKeeper keeper;
    private final List<Consumer<Session>> removals;
    private final BiConsumer<Session, Code> ended;

    /**
     * Creates the lane's part; {@code removals} remove a closed session from the lane's other parts, in this order, and
     * {@code ended} is called after them.
     */
    public SessionEnding(
            SessionTable sessions,
            FanOut fanOut,
            LoopCounters counters,
            SessionKeeper keeper,
            List<Consumer<Session>> removals,
            BiConsumer<Session, Code> ended) {
        this.sessions = sessions;
        this.fanOut = fanOut;
        this.counters = counters;
        this.keeper = keeper;
        this.removals = removals;
        this.ended = ended;
    }

    @Override
    public void close(Session session, Code code, String reason) {
        if (session.isClosed()) {
            return;
        }
        if (code != Code.INTERNAL) {
            fanOut.stagePending(session);
            if (session.isClosed()) {
                // A message that waited for the session has ended it.
                return;
            }
        }
        boolean wasDetached = session.isDetached();
        session.outbound().close(code, reason);
        // The connection may have reported its end by now, and the session may be kept without it.
        if (session.isDetached() == wasDetached) {
            end(session, code);
        }
    }

    /** Called when the connection of a session has ended: keeps the session, or removes everything about it. */
    public void end(Session session, Code code) {
        if (session.isClosed()) {
            return;
        }
        fanOut.forget(session);
        if (!session.isDetached()) {
            counters.closed(code);
            counters.increment(Counter.SESSIONS_CLOSED);
            if (keeper.keep(session, code)) {
                return;
            }
        }
        session.onClosed();
        keeper.forget(session);
        removals.forEach(each -> each.accept(session));
        // A removal may have staged a last answer.
        fanOut.forget(session);
        ended.accept(session, code);
        sessions.remove(session);
    }
}
