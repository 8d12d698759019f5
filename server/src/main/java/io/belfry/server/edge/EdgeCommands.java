package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.ConnectRequest;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Routing;
import io.belfry.server.session.Session;
import io.belfry.server.session.Terms;
import io.belfry.server.supervision.Rights;
import io.belfry.server.supervision.StaleNotices;
import io.belfry.server.turn.LongWork;
import io.belfry.server.turn.Turn;
import java.util.function.BooleanSupplier;

/** Executes the commands of a lane's sessions other than publishes. Owner: the lane's loop. */
public final class EdgeCommands implements Routing {
    private final Turn turn;
    private final LongWork work;
    private final EdgeSubscriptions subscriptions;
    private final StaleNotices staleNotices;
    private final Rights rights;
    private final LaneReplies replies;
    private final SessionCloser closer;

    public EdgeCommands(
            Turn turn,
            LongWork work,
            EdgeSubscriptions subscriptions,
            StaleNotices staleNotices,
            Rights rights,
            LaneReplies replies,
            SessionCloser closer) {
        this.turn = turn;
        this.work = work;
        this.subscriptions = subscriptions;
        this.staleNotices = staleNotices;
        this.rights = rights;
        this.replies = replies;
        this.closer = closer;
    }

    @Override
    public void subscribe(Session session, long id, byte[] subject, Terms terms) {
        if (!terms.follow() || subscriptions.hasRoom(session, id, subject)) {
            staleNotices.onSubscribe(session);
            subscriptions.subscribe(session, id, subject, terms);
        }
    }

    @Override
    public void unsubscribe(Session session, long id, byte[] subject) {
        if (!subscriptions.drop(session, subject)) {
            replies.refuse(session, id, Code.NOT_SUBSCRIBED, "the session does not subscribe to this", subject);
        } else if (id != CommandHandler.NO_ID) {
            replies.of(session).unsubscribed(session, id, subject);
        }
    }

    @Override
    public void watch(Session session, long id, byte[] subject) {
        subscriptions.watch(session, id, subject);
    }

    @Override
    public void unwatch(Session session, long id, byte[] subject) {
        subscriptions.unwatch(session, id, subject);
    }

    @Override
    public void authenticate(Session session, long id, ConnectRequest request) {
        rights.authenticate(session, id, request);
    }

    @Override
    public Replies repliesOf(Session session) {
        return replies.of(session);
    }

    @Override
    public void close(Session session, Code code, String reason) {
        closer.close(session, code, reason);
    }

    @Override
    public void work(BooleanSupplier step) {
        work.begin(step);
    }

    @Override
    public long nowNanos() {
        return turn.nowNanos();
    }

    @Override
    public long nowMillis() {
        return turn.nowMillis();
    }
}
