package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.SubjectPosition;
import io.belfry.server.config.KeptSessionConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.delivery.SessionKeeper;
import io.belfry.server.session.ContinuedSession;
import io.belfry.server.session.Outbound;
import io.belfry.server.session.Routing;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.supervision.PingIntervals;
import io.belfry.server.turn.Turn;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions whose clients asked to keep them. Such a session outlives its connection for a while: its subscriptions stay, and
 * it falls behind like a session whose socket accepts nothing. A client that returns gets the subscriptions in the session of
 * its new connection, from the positions that it names, and the old session ends. Owner: the lane's loop.
 *
 * <p>The client may return on another lane. Then the lanes exchange what the session followed; a connection never changes its
 * lane.
 */
public final class KeptSessions implements SessionKeeper {
    /** Estimated memory of a kept session without subjects, and of each subject in which it missed a message. */
    private static final int SESSION_BYTES = 400;

    private static final int SUBJECT_BYTES = 200;

    private static final String TAKEN = "another connection continues the session";

    /** When a session lost its connection, and the estimate of its memory. Immutable. */
    private record Detached(long sinceNanos, long bytes) {}

    private final Turn turn;
    private final int index;
    private final SessionTable sessions;
    private final EdgeSubscriptions subscriptions;
    private final FollowedSubjects followed;
    private final LaneReplies replies;
    private final PingIntervals pings;
    private final SessionCloser closer;
    private final Supplier<Routing> routing;
    private final List<Consumer<Session>> releases;
    private final LoopCounters counters;
    private final SessionIds ids;
    private KeptSessionConfig config;

    /** Sessions without a connection, in the order in which they lost it. */
    private final Map<Session, Detached> detached = new LinkedHashMap<>();

    private long bytes;
    private Peers<KeptSessions> peers = (lane, task) -> {};

    /**
     * Creates the lane's part. {@code config} has the lane's share of the limits; {@code releases} remove a session that lost
     * its connection from those parts of the lane that serve connections.
     */
    public KeptSessions(
            Turn turn,
            int index,
            SessionTable sessions,
            EdgeSubscriptions subscriptions,
            FollowedSubjects followed,
            LaneReplies replies,
            PingIntervals pings,
            SessionCloser closer,
            Supplier<Routing> routing,
            List<Consumer<Session>> releases,
            LoopCounters counters,
            SessionIds ids,
            KeptSessionConfig config) {
        this.turn = turn;
        this.index = index;
        this.sessions = sessions;
        this.subscriptions = subscriptions;
        this.followed = followed;
        this.replies = replies;
        this.pings = pings;
        this.closer = closer;
        this.routing = routing;
        this.releases = releases;
        this.counters = counters;
        this.ids = ids;
        this.config = config;
    }

    /** Applies the lane's share of other limits; existing sessions end when the next one loses its connection. */
    public void reconfigure(KeptSessionConfig next) {
        config = next;
    }

    /** Connects the lanes with each other, before the first session. */
    public void connect(Peers<KeptSessions> all) {
        peers = all;
    }

    // ---- connections that are lost ----

    @Override
    public boolean keep(Session session, Code ended) {
        if (!session.isKept() || !isKeptAfter(ended)) {
            return false;
        }
        // A pattern has no position at which another session could continue it.
        if (subscriptions.held(session) == 0 || subscriptions.hasPatterns(session)) {
            return false;
        }
        if (config.sessions() == 0 || bytes(session) > config.bytes()) {
            counters.increment(Counter.DETACHED_SESSIONS_ENDED);
            return false;
        }
        detach(session);
        while (detached.size() > config.sessions() || bytes > config.bytes()) {
            endOldest();
        }
        return true;
    }

    /** A client may take its name before it continues the session of its older connection, so that session is kept too. */
    private static boolean isKeptAfter(Code ended) {
        return ended == Code.CONNECTION_LOST || ended == Code.PING_TIMEOUT || ended == Code.CLIENT_TAKEN;
    }

    private long bytes(Session session) {
        return SESSION_BYTES + (long) SUBJECT_BYTES * subscriptions.held(session);
    }

    private void detach(Session session) {
        pings.forget(session);
        releases.forEach(each -> each.accept(session));
        session.detach(DetachedOutbound.INSTANCE);
        followed.interrupt(session);
        Detached entry = new Detached(turn.nowNanos(), bytes(session));
        detached.put(session, entry);
        count(entry, 1);
    }

    private void count(Detached entry, int sign) {
        bytes += sign * entry.bytes();
        counters.add(Counter.DETACHED_SESSIONS, sign);
        counters.add(Counter.DETACHED_BYTES, sign * entry.bytes());
    }

    private void endOldest() {
        counters.increment(Counter.DETACHED_SESSIONS_ENDED);
        Session oldest = detached.keySet().iterator().next();
        closer.close(oldest, Code.CONNECTION_LOST, "");
    }

    @Override
    public void forget(Session session) {
        Detached entry = detached.remove(session);
        if (entry != null) {
            count(entry, -1);
        }
    }

    /** Ends the sessions whose clients did not return in time. */
    public void tick() {
        long latest = turn.nowNanos() - config.detachedMillis() * 1_000_000L;
        while (!detached.isEmpty() && detached.values().iterator().next().sinceNanos() - latest <= 0) {
            endOldest();
        }
    }

    // ---- clients that return ----

    /** Answers a connect; {@code asked} is what the client wants for its session, or null. */
    void connect(Session session, long id, @Nullable KeptSession asked) {
        if (asked != null && config.detachedMillis() > 0) {
            session.keep();
        }
        if (asked == null || asked.id().isEmpty()) {
            answer(session, id, false);
            return;
        }
        SessionIds.Location old = ids.find(asked.id());
        long reference = session.reference();
        if (old == null || old.equals(new SessionIds.Location(index, reference)) || subscriptions.held(session) > 0) {
            notResumed(session, id);
            return;
        }
        session.outbound().holdCommands();
        peers.run(
                old.lane(),
                there -> there.release(
                        old.reference(),
                        asked.received(),
                        what -> peers.run(index, here -> here.onReleased(reference, id, old, what))));
    }

    private void notResumed(Session session, long id) {
        counters.increment(Counter.SESSIONS_NOT_RESUMED);
        answer(session, id, false);
    }

    private void answer(Session session, long id, boolean resumed) {
        int pingMillis = pings.pingMillis(session);
        if (session.isKept()) {
            ContinuedSession kept = new ContinuedSession(ids.of(index, session), config.detachedMillis(), resumed);
            replies.of(session).connected(session, id, pingMillis, kept);
        } else {
            replies.of(session).connected(session, id, pingMillis);
        }
    }

    /** Passes on what a session follows, or null if it has ended. A connection that it still has is closed. */
    private void release(
            long reference, List<SubjectPosition> received, Consumer<FollowedSubjects.@Nullable Followed> then) {
        Session session = sessions.find(reference);
        if (session == null || !session.isKept() || subscriptions.hasPatterns(session)) {
            then.accept(null);
            return;
        }
        if (!session.isDetached()) {
            Outbound connection = session.outbound();
            counters.closed(Code.SESSION_TAKEN);
            counters.increment(Counter.SESSIONS_CLOSED);
            detach(session);
            connection.close(Code.SESSION_TAKEN, TAKEN);
        }
        then.accept(followed.of(session, received));
    }

    private void onReleased(
            long reference, long id, SessionIds.Location old, FollowedSubjects.@Nullable Followed what) {
        Session session = sessions.find(reference);
        if (session == null || session.isDetached()) {
            // The new connection is lost too. The old session waits for another one.
            return;
        }
        if (what == null) {
            notResumed(session, id);
        } else {
            counters.increment(Counter.SESSIONS_RESUMED);
            answer(session, id, true);
            followed.give(session, what, routing.get());
            peers.run(old.lane(), there -> there.end(old.reference()));
        }
        session.outbound().releaseCommands();
    }

    /** Ends a session that another one has continued. */
    private void end(long reference) {
        Session session = sessions.find(reference);
        if (session != null && session.isDetached()) {
            closer.close(session, Code.SESSION_TAKEN, TAKEN);
        }
    }
}
