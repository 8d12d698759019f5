package io.belfry.server.supervision;

import io.belfry.protocol.Code;
import io.belfry.protocol.ConnectRequest;
import io.belfry.server.config.AddressLimitConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.delivery.ConnectAnswers;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.turn.Turn;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * The permissions of a lane's sessions as time passes and tokens change: applies new tokens, notifies before one expires, and
 * closes sessions after it has. Owner: the lane's loop.
 */
public final class Rights {
    /** Time in a turn to end sessions whose tokens expire. */
    private static final long EXPIRE_NANOS = 1_000_000;

    private final Turn turn;
    private final SessionTable sessions;
    private final Decisions decisions;
    private final PingIntervals pings;
    private final LaneReplies replies;
    private final SessionCloser closer;
    private final ConnectAnswers answers;
    private final Revocable revocable;
    private final ExpiryWheel expiries = new ExpiryWheel();
    private final long warnMillis;
    private int failedTokensMax;
    private boolean expiring;
    private final boolean factsAsked;

    public Rights(
            Turn turn,
            SessionTable sessions,
            Decisions decisions,
            PingIntervals pings,
            LaneReplies replies,
            SessionCloser closer,
            ConnectAnswers answers,
            Revocable revocable,
            ServerConfig config) {
        this.turn = turn;
        this.sessions = sessions;
        this.decisions = decisions;
        this.pings = pings;
        this.replies = replies;
        this.closer = closer;
        this.answers = answers;
        this.revocable = revocable;
        warnMillis = config.entitlement().warnMillis();
        failedTokensMax = config.limits().ofAddress().failedTokens();
        factsAsked = config.entitlement().decide().isPresent();
    }

    /** Applies the settings that can change at run time. */
    public void reconfigure(Entitlement next, AddressLimitConfig limits) {
        decisions.reconfigure(next);
        failedTokensMax = limits.failedTokens();
    }

    /** Called when the session's principal has changed. */
    public void onPrincipal(Session session) {
        long until = session.principal().expiresMillis();
        if (until == Principal.NEVER) {
            expiries.remove(session.slot());
        } else {
            expiries.set(session.slot(), firstLook(session.principal()), turn.nowMillis());
        }
    }

    /** Returns the time of the first check. A short token is not announced at once, or its client would only fetch tokens. */
    private long firstLook(Principal principal) {
        long until = principal.expiresMillis();
        if (warnMillis == 0 || !principal.warnsOfExpiry()) {
            return until;
        }
        return Math.max(until - warnMillis, turn.nowMillis() + (until - turn.nowMillis()) / 2);
    }

    /** Checks a token and sends the result to the client; its further commands wait until then. */
    public void authenticate(Session session, long id, ConnectRequest request) {
        String token = request.token();
        if (token == null) {
            connected(session, id, request);
            return;
        }
        long wait = session.outbound().address().tokenWaitMillis(token, failedTokensMax, turn.nowNanos());
        if (wait > 0) {
            replies.refuse(session, id, Code.TOKEN_RATE, Code.TOKEN_RATE.sentence(), null, wait);
            return;
        }
        long reference = session.reference();
        boolean[] held = new boolean[1];
        boolean decided = decisions.decide(
                new Entitlement.Credentials(
                        token,
                        session.outbound().isLoopback(),
                        session.outbound().certificateSubject(),
                        facts(session, request)),
                answer -> onDecided(reference, id, token, request, answer, held[0]));
        if (!decided) {
            held[0] = true;
            session.outbound().holdCommands();
        }
    }

    private Entitlement.@Nullable Facts facts(Session session, ConnectRequest request) {
        return factsAsked
                ? new Entitlement.Facts(
                        session.outbound().address().text(),
                        "websocket",
                        null,
                        request.client(),
                        Collections.emptySortedMap())
                : null;
    }

    private void connected(Session session, long id, ConnectRequest request) {
        if (request.pingMillis() > 0) {
            pings.request(session, request.pingMillis());
        }
        answers.connect(session, id, request);
    }

    private void onDecided(
            long reference, long id, String token, ConnectRequest request, Entitlement.Answer answer, boolean held) {
        Session session = sessions.find(reference);
        if (session == null) {
            return;
        }
        switch (answer) {
            case Entitlement.Answer.Accepted accepted -> {
                session.outbound().address().onTokenAccepted(token);
                accept(session, id, request, accepted.principal());
            }
            case Entitlement.Answer.Rejected rejected -> {
                if (rejected.code() == Code.UNAUTHORIZED) {
                    session.outbound().address().onTokenFailed(failedTokensMax, turn.nowNanos());
                }
                replies.refuse(session, id, rejected.code(), rejected.reason(), null);
                closer.close(session, rejected.code(), rejected.reason());
            }
        }
        if (held) {
            session.outbound().releaseCommands();
        }
    }

    private void accept(Session session, long id, ConnectRequest request, Principal principal) {
        session.principal(principal);
        onPrincipal(session);
        connected(session, id, request);
        recheck(session);
        revocable.renewMemberships(session);
    }

    /** Ends and reports the session's subscriptions and watches that are no longer allowed. */
    private void recheck(Session session) {
        Principal principal = session.principal();
        for (byte[] subject : revocable.followedBy(session)) {
            if (principal.maySubscribe(subject, turn.nowMillis()) instanceof Decision.Denied denied
                    && revocable.drop(session, subject)) {
                replies.of(session).ended(session, subject, denied.code());
            }
        }
        for (byte[] subject : revocable.watchedBy(session)) {
            if (!session.isClosed()
                    && principal.mayPublish(subject, subject.length, turn.nowMillis())
                            instanceof Decision.Denied denied) {
                revocable.endWatch(session, subject);
                replies.of(session).watchEnded(session, subject, denied.code());
            }
        }
    }

    /** Removes a closed session. */
    public void forget(Session session) {
        expiries.remove(session.slot());
    }

    /** Refuses late decisions, and handles the tokens that are due. */
    public void tick() {
        decisions.tick();
        if (expiries.size() > 0 && !expiring) {
            expire();
        }
    }

    /** Ends or warns the sessions whose tokens expire, for a bounded time; the next turns continue. */
    private void expire() {
        long endNanos = turn.clockNanos() + EXPIRE_NANOS;
        expiring = false;
        if (!expiries.due(turn.nowMillis(), this::onDue, () -> turn.clockNanos() - endNanos < 0)) {
            expiring = true;
            turn.next(this::expire);
        }
    }

    private void onDue(int slot) {
        Session session = sessions.at(slot);
        if (session == null) {
            return;
        }
        long leftMillis = session.principal().expiresMillis() - turn.nowMillis();
        if (leftMillis <= 0) {
            close(session, session.principal().expiry());
        } else {
            expiries.set(slot, session.principal().expiresMillis(), turn.nowMillis());
            replies.of(session).tokenToExpire(session, leftMillis);
        }
    }

    /** Checks a session periodically, because a grant may have been withdrawn. */
    void look(Session session) {
        if (session.principal().isWithdrawn()) {
            close(session, session.principal().withdrawal());
        }
    }

    private void close(Session session, Decision.Denied why) {
        closer.close(session, why.code(), why.reason());
    }
}
