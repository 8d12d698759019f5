package io.belfry.server.catchup;

import io.belfry.protocol.Code;
import io.belfry.protocol.Position;
import io.belfry.server.broker.Broker;
import io.belfry.server.config.SlowConsumerConfig;
import io.belfry.server.config.SlowConsumerConfig.Policy;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.Conflation;
import io.belfry.server.delivery.HeldMessage;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.handoff.CatchUpBounds;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.ToHome;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionPlaces;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.Turn;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Brings sessions with writable sockets from their places to the heads of their subjects: a few places at a time, a
 * block at a time, without the messages that their policy skips. Owner: the lane's loop.
 */
public final class CatchUpReader {
    /** Maximum number of a session's places that are read at the same time, which bounds its pending bytes. */
    static final int READINGS_MAX = 8;

    /** Number of sessions that are given past messages before live messages are processed again. */
    private static final int SESSIONS_A_TURN = 4;

    private final Turn turn;
    private final LaneCalls calls;
    private final Broker broker;
    private final Places places;
    private final LaneReplies replies;
    private final Conflation conflation;
    private final SessionCloser closer;
    private final LoopCounters counters;
    private SlowConsumerConfig config;

    /** Sessions that were given a block; empty or waiting for the next turn. */
    private final Deque<Session> given = new ArrayDeque<>();

    private final Losses losses = new Losses();
    private boolean turnExpected;

    public CatchUpReader(
            Turn turn,
            LaneCalls calls,
            Broker broker,
            Places places,
            LaneReplies replies,
            Conflation conflation,
            SessionCloser closer,
            LoopCounters counters,
            SlowConsumerConfig config) {
        this.turn = turn;
        this.calls = calls;
        this.broker = broker;
        this.places = places;
        this.replies = replies;
        this.conflation = conflation;
        this.closer = closer;
        this.counters = counters;
        this.config = config;
    }

    void reconfigure(SlowConsumerConfig next) {
        config = next;
    }

    /** Removes a closed session. */
    void forget(Session session) {
        losses.forget(session);
    }

    void onTick(long nowNanos) {
        losses.forgetOlder(config.graceMillis() * 1_000_000, nowNanos);
    }

    /** Called when a read returned a block and there is more. */
    public void onMore(Session session, CatchUp.Place place) {
        CatchUp catchUp = SessionPlaces.of(session);
        if (catchUp != null) {
            catchUp.wait(place);
        }
    }

    /** Returns whether the session may be given more past messages than are already pending. */
    public boolean mayRead(Session session) {
        CatchUp catchUp = SessionPlaces.of(session);
        return session.isReady() && (catchUp == null || catchUp.readings() < READINGS_MAX);
    }

    /**
     * Continues reading after other sessions had their turn: a socket that accepts megabytes at once would otherwise keep the
     * lane busy with the past messages of one session.
     */
    public void readInTurn(Session session) {
        if (given.peekLast() != session) {
            given.add(session);
        }
        expectTurn();
    }

    private void expectTurn() {
        if (!turnExpected && !given.isEmpty()) {
            turnExpected = true;
            turn.next(this::takeTurn);
        }
    }

    private void takeTurn() {
        turnExpected = false;
        try {
            // A session that is given another block meanwhile continues in the next turn, after the present block was
            // written.
            for (int left = Math.min(SESSIONS_A_TURN, given.size()); left > 0; left--) {
                readNext(given.remove());
            }
        } finally {
            expectTurn();
        }
    }

    /** Continues reading at some places in turn; each answer allows the next read. */
    void readNext(Session session) {
        replies.complete(session);
        CatchUp catchUp = SessionPlaces.of(session);
        while (catchUp != null && session.isReady() && !session.isClosed() && catchUp.readings() < READINGS_MAX) {
            CatchUp.Place place = catchUp.nextWaiting();
            if (place == null) {
                return;
            }
            if (session.pending() != 0 && session.outbound().queuedBytes() >= ToHome.READ_BYTES) {
                catchUp.wait(place);
                readInTurn(session);
                return;
            }
            CatchUp.Join join = place.takeJoin();
            if (join != null) {
                join(session, place, join);
            } else if (broker.history().keeps() && !place.isRequested()) {
                readOn(session, catchUp, place);
            } else {
                settle(session, place);
            }
            catchUp = SessionPlaces.of(session);
        }
    }

    private void join(Session session, CatchUp.Place place, CatchUp.Join join) {
        place.reading(true);
        SubjectKey subject = places.keyOf(place);
        calls.homeLater(calls.homeOf(subject))
                .join(
                        calls.index(),
                        session.reference(),
                        place.ticket(),
                        join.commandId(),
                        subject,
                        join.from(),
                        join.history(),
                        false);
    }

    private void readOn(Session session, CatchUp catchUp, CatchUp.Place place) {
        place.reading(true);
        CatchUpBounds cut = cut(catchUp, place);
        SubjectKey subject = places.keyOf(place);
        calls.homeLater(calls.homeOf(subject))
                .read(calls.index(), session.reference(), place.ticket(), subject, place.afterSeq(), place.type(), cut);
    }

    private CatchUpBounds cut(CatchUp catchUp, CatchUp.Place place) {
        boolean past = place.takePast();
        Policy policy = places.policyOf(place);
        if (policy == Policy.DISCONNECT) {
            return CatchUpBounds.NOTHING;
        }
        return new CatchUpBounds(
                policy,
                past ? share(catchUp) : CatchUpBounds.ALL,
                place.isLagging() ? config.graceMillis() : CatchUpBounds.ALL);
    }

    private long share(CatchUp catchUp) {
        return config.maxBytes() / Math.max(1, catchUp.count());
    }

    /** Ends a place without history to read: announces what was missed, and sends the latest message if a copy is kept. */
    void settle(Session session, CatchUp.Place place) {
        byte[] subject = places.nameOf(place);
        HeldMessage kept = places.latestFor(place);
        long epoch = broker.epoch();
        long to = kept == null ? place.missedSeq() : kept.seq() - 1;
        if (to > place.afterSeq() && !place.isRequested()) {
            Code reason = kept == null ? Code.SLOW_CONSUMER : Code.CONFLATED;
            tellGap(session, subject, new Position(epoch, place.afterSeq()), new Position(epoch, to), reason);
        }
        if (kept != null) {
            replies.of(session).message(session, kept.view());
            conflation.given(session, place.subject(), kept.seq());
        }
        places.endAt(session, place.subject());
        replies.of(session).caughtUp(session, subject);
    }

    /** Called when a part of the messages to read is not available. */
    public void onGap(
            Session session,
            CatchUp.Place place,
            SubjectKey subject,
            @Nullable Position from,
            Position to,
            Code reason) {
        boolean lostByLagging = place.isLagging() && reason == Code.HISTORY_GONE;
        if (lostByLagging) {
            place.lost(to.seq());
            if (isClosedForLoss(session, place)) {
                places.onSlow(session, Code.SLOW_CONSUMER);
                closer.close(
                        session, Code.SLOW_CONSUMER, "lagged behind what the history keeps for SlowConsumer.Grace");
                return;
            }
        } else {
            place.advance(to.seq());
        }
        CatchUp catchUp = SessionPlaces.of(session);
        if (catchUp != null && (reason == Code.SLOW_CONSUMER || reason == Code.CONFLATED)) {
            place.leftOut(reason == Code.CONFLATED ? 0 : share(catchUp));
        }
        tellGap(session, subject.copy(), from, to, lostByLagging ? Code.SLOW_CONSUMER : reason);
    }

    /**
     * Records a loss; returns whether losses were repeated for the whole grace. A single loss is only announced, because a
     * closed session would reconnect to the same gap.
     */
    private boolean isClosedForLoss(Session session, CatchUp.Place place) {
        return places.policyOf(place) == Policy.DISCONNECT
                && losses.onLoss(session, config.graceMillis() * 1_000_000, turn.nowNanos());
    }

    /** Announces a gap and counts the messages in it by its reason. */
    void tellGap(Session session, byte[] subject, @Nullable Position from, Position to, Code reason) {
        if (reason == Code.SLOW_CONSUMER || reason == Code.CONFLATED) {
            places.onSlow(session, reason);
        }
        // The number of messages between two epochs is unknown; RECOVERIES_WITH_GAP counts the event.
        if (from != null && from.epoch() == to.epoch() && from.seq() < to.seq()) {
            // Where seqs have holes the number is unknown too; it is at least one.
            long messages = broker.isShared() ? 1 : to.seq() - from.seq();
            if (reason == Code.MESSAGE_EXPIRED) {
                counters.add(Counter.MESSAGES_EXPIRED, messages);
            } else if (reason == Code.CONFLATED) {
                counters.conflated(reason, messages);
            } else {
                counters.dropped(reason, messages);
            }
        }
        replies.of(session).gap(session, subject, from, to, reason);
    }
}
