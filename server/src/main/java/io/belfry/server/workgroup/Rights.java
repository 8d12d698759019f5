package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.server.config.AddressLimitConfig;
import io.belfry.server.config.EntitlementConfig;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import org.jspecify.annotations.Nullable;

/**
 * The permissions of a lane's sessions as time passes and tokens change: applies new tokens, notifies before one expires, and
 * closes sessions after it has. Owner: the lane's loop.
 */
final class Rights {
    private final Lane lane;
    private final Edge edge;
    private final SessionTable sessions;
    private final Decisions decisions;
    private final ExpiryWheel expiries = new ExpiryWheel();
    private final long warnMillis;
    private int failedTokensMax;

    Rights(Lane lane, Edge edge, SessionTable sessions, LoopCounters counters, LaneSetup setup) {
        this.lane = lane;
        this.edge = edge;
        this.sessions = sessions;
        EntitlementConfig config = setup.config().entitlement();
        decisions = new Decisions(lane, counters, config, setup.entitlement());
        warnMillis = config.warnMillis();
        failedTokensMax = setup.config().limits().ofAddress().failedTokens();
    }

    void reconfigure(Entitlement next, AddressLimitConfig limits) {
        decisions.reconfigure(next);
        failedTokensMax = limits.failedTokens();
    }

    Decisions decisions() {
        return decisions;
    }

    /** Called when the session's principal has changed. */
    void onPrincipal(Session session) {
        long until = session.principal().expiresMillis();
        if (until == Principal.NEVER) {
            expiries.remove(session.slot());
        } else {
            expiries.set(session.slot(), firstLook(session.principal()), lane.nowMillis());
        }
    }

    /** Returns the time of the first check. A short token is not announced at once, or its client would only fetch tokens. */
    private long firstLook(Principal principal) {
        long until = principal.expiresMillis();
        if (warnMillis == 0 || !principal.warnsOfExpiry()) {
            return until;
        }
        return Math.max(until - warnMillis, lane.nowMillis() + (until - lane.nowMillis()) / 2);
    }

    /** Checks a token and sends the result to the client; its further commands wait until then. */
    void authenticate(Session session, long id, @Nullable String token, long pingMillis) {
        if (token == null) {
            connected(session, id, pingMillis);
            return;
        }
        long wait = session.outbound().address().tokenWaitMillis(token, failedTokensMax, lane.nowNanos());
        if (wait > 0) {
            edge.refuse(session, id, Code.TOKEN_RATE, Code.TOKEN_RATE.sentence(), null, wait);
            return;
        }
        long reference = session.reference();
        boolean[] held = new boolean[1];
        boolean decided = decisions.decide(
                new Entitlement.Credentials(
                        token,
                        session.outbound().isLoopback(),
                        session.outbound().certificateSubject()),
                answer -> onDecided(reference, id, token, pingMillis, answer, held[0]));
        if (!decided) {
            held[0] = true;
            session.outbound().holdCommands();
        }
    }

    private void connected(Session session, long id, long pingMillis) {
        if (pingMillis > 0) {
            lane.keepAlive().request(session, pingMillis);
        }
        lane.repliesOf(session).connected(session, id, lane.keepAlive().pingMillis(session));
    }

    private void onDecided(
            long reference, long id, String token, long pingMillis, Entitlement.Answer answer, boolean held) {
        Session session = sessions.find(reference);
        if (session == null) {
            return;
        }
        switch (answer) {
            case Entitlement.Answer.Accepted accepted -> {
                session.outbound().address().onTokenAccepted(token);
                accept(session, id, pingMillis, accepted.principal());
            }
            case Entitlement.Answer.Rejected rejected -> {
                if (rejected.code() == Code.UNAUTHORIZED) {
                    session.outbound().address().onTokenFailed(failedTokensMax, lane.nowNanos());
                }
                edge.refuse(session, id, rejected.code(), rejected.reason(), null);
                edge.close(session, rejected.code(), rejected.reason());
            }
        }
        if (held) {
            session.outbound().releaseCommands();
        }
    }

    private void accept(Session session, long id, long pingMillis, Principal principal) {
        session.principal(principal);
        onPrincipal(session);
        connected(session, id, pingMillis);
        recheck(session);
    }

    /** Ends and reports the session's subscriptions and watches that are no longer allowed. */
    private void recheck(Session session) {
        Principal principal = session.principal();
        for (byte[] subject : edge.followedBy(session)) {
            if (principal.maySubscribe(subject, lane.nowMillis()) instanceof Decision.Denied denied
                    && edge.drop(session, subject)) {
                lane.repliesOf(session).ended(session, subject, denied.code());
            }
        }
        for (byte[] subject : Edge.watchedBy(session)) {
            if (!session.isClosed()
                    && principal.mayPublish(subject, subject.length, lane.nowMillis())
                            instanceof Decision.Denied denied) {
                edge.unwatch(session, CommandHandler.NO_ID, subject);
                lane.repliesOf(session).watchEnded(session, subject, denied.code());
            }
        }
    }

    void forget(Session session) {
        expiries.remove(session.slot());
    }

    void tick() {
        decisions.tick();
        if (expiries.size() > 0) {
            expiries.due(lane.nowMillis(), this::onDue);
        }
    }

    private void onDue(int slot) {
        Session session = sessions.at(slot);
        if (session == null) {
            return;
        }
        long leftMillis = session.principal().expiresMillis() - lane.nowMillis();
        if (leftMillis <= 0) {
            close(session, session.principal().expiry());
        } else {
            expiries.set(slot, session.principal().expiresMillis(), lane.nowMillis());
            lane.repliesOf(session).tokenToExpire(session, leftMillis);
        }
    }

    /** Checks a session periodically, because a grant may have been withdrawn. */
    void look(Session session) {
        if (session.principal().isWithdrawn()) {
            close(session, Principal.WITHDRAWN);
        }
    }

    private void close(Session session, Decision.Denied why) {
        edge.close(session, why.code(), why.reason());
    }
}
