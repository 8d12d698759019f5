package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.Position;
import io.belfry.server.config.KeptSessionConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.delivery.SessionKeeper;
import io.belfry.server.handoff.Peers;
import io.belfry.server.session.ContinuedSession;
import io.belfry.server.session.Outbound;
import io.belfry.server.session.Routing;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.supervision.PingIntervals;
import io.belfry.server.turn.LongWork;
import io.belfry.server.turn.Turn;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions whose clients asked to keep them. Such a session outlives its connection for a while: its subscriptions by name
 * stay, and it falls behind like a session whose socket accepts nothing. A client that returns gets these subscriptions in the
 * session of its new connection, from the positions that it names, and the old session ends. Patterns end with the connection;
 * the client subscribes to them again, from its position of patterns. Owner: the lane's loop.
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
    private final LongWork work;
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

    /** Sessions that have not got all subscriptions of those that they continue, with what waits until they have. */
    private final Map<Session, List<Runnable>> continuing = new HashMap<>();

    private boolean ending;
    private long bytes;
    private Peers<KeptSessions> peers = (lane, task) -> {};

    /**
     * Creates the lane's part. {@code config} has the lane's share of the limits; {@code releases} remove a session that lost
     * its connection from those parts of the lane that serve connections.
     */
    public KeptSessions(
            Turn turn,
            LongWork work,
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
        this.work = work;
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
        if (subscriptions.names(session) == 0) {
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

    /**
     * A client may take its name, or replace another session of its user, before it continues the session of its older connection.
     * For this reason that session is kept too.
     */
    private static boolean isKeptAfter(Code ended) {
        return ended == Code.CONNECTION_LOST
                || ended == Code.PING_TIMEOUT
                || ended == Code.CLIENT_TAKEN
                || ended == Code.USER_REPLACED;
    }

    private long bytes(Session session) {
        return SESSION_BYTES + (long) SUBJECT_BYTES * subscriptions.names(session);
    }

    private void detach(Session session) {
        pings.forget(session);
        releases.forEach(each -> each.accept(session));
        session.detach(DetachedOutbound.INSTANCE);
        subscriptions.endPatterns(session);
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

    /** Ends the sessions whose clients did not return in time; the next turns continue if they are many. */
    public void tick() {
        if (!ending && hasLate()) {
            ending = true;
            work.begin(() -> {
                endOldest();
                ending = hasLate();
                return ending;
            });
        }
    }

    private boolean hasLate() {
        long latest = turn.nowNanos() - config.detachedMillis() * 1_000_000L;
        return !detached.isEmpty() && detached.values().iterator().next().sinceNanos() - latest <= 0;
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
        Map<ByteBuffer, Position> received = new HashMap<>();
        asked.received().forEach(each -> received.put(ByteBuffer.wrap(each.subject()), each.at()));
        peers.run(
                old.lane(),
                there -> there.release(
                        old.reference(),
                        received,
                        what -> peers.run(index, here -> here.onReleased(reference, id, old, received, what))));
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
            long reference, Map<ByteBuffer, Position> received, Consumer<FollowedSubjects.@Nullable Followed> then) {
        Session session = sessions.find(reference);
        if (session == null || !session.isKept()) {
            then.accept(null);
            return;
        }
        List<Runnable> waiting = continuing.get(session);
        if (waiting != null) {
            // It has not got all subscriptions of the session that it continues itself.
            waiting.add(() -> release(reference, received, then));
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
            long reference,
            long id,
            SessionIds.Location old,
            Map<ByteBuffer, Position> received,
            FollowedSubjects.@Nullable Followed what) {
        Session session = sessions.find(reference);
        if (session == null || session.isDetached()) {
            // The new connection is lost too. The old session waits for another one.
            return;
        }
        if (what == null) {
            notResumed(session, id);
            session.outbound().releaseCommands();
            return;
        }
        counters.increment(Counter.SESSIONS_RESUMED);
        answer(session, id, true);
        continuing.put(session, new ArrayList<>(0));
        new Continuation(session, old, received, what).onTerms(what.first());
    }

    /** A session that gets the subscriptions of another one, part by part if they are many; its commands wait meanwhile. */
    private final class Continuation {
        private final Session session;
        private final SessionIds.Location old;
        private final Map<ByteBuffer, Position> received;
        private final FollowedSubjects.Followed what;
        private final Outbound connection;
        private int asked;

        Continuation(
                Session session,
                SessionIds.Location old,
                Map<ByteBuffer, Position> received,
                FollowedSubjects.Followed what) {
            this.session = session;
            this.old = old;
            this.received = received;
            this.what = what;
            connection = session.outbound();
        }

        /** Gives the session a part, in a later turn if another lane sends many at once. */
        void onTerms(List<FollowedSubjects.Continued> part) {
            if (old.lane() == index) {
                give(part);
            } else {
                work.begin(() -> {
                    give(part);
                    return false;
                });
            }
        }

        private void give(List<FollowedSubjects.Continued> part) {
            if (!session.isClosed()) {
                followed.give(session, part, routing.get());
            }
            if (session.isClosed() || asked == what.rest().size()) {
                end();
            } else {
                work.begin(this::ask);
            }
        }

        /** Asks for the terms of the next part, which depend on what the old session has missed until then. */
        private boolean ask() {
            int end = Math.min(asked + FollowedSubjects.PART, what.rest().size());
            List<byte[]> next = what.rest().subList(asked, end);
            asked = end;
            peers.run(old.lane(), there -> {
                List<FollowedSubjects.Continued> part =
                        there.followed.terms(there.sessions.find(old.reference()), next, received);
                peers.run(index, here -> onTerms(part));
            });
            return false;
        }

        private void end() {
            if (!session.isClosed()) {
                followed.watch(session, what.watched(), routing.get());
                peers.run(old.lane(), there -> there.end(old.reference()));
            }
            connection.releaseCommands();
            List<Runnable> waiting = continuing.remove(session);
            if (waiting != null) {
                waiting.forEach(Runnable::run);
            }
        }
    }

    /** Ends a session that another one has continued. */
    private void end(long reference) {
        Session session = sessions.find(reference);
        if (session != null && session.isDetached()) {
            closer.close(session, Code.SESSION_TAKEN, TAKEN);
        }
    }
}
