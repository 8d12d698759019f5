package io.belfry.server.catchup;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.server.broker.Broker;
import io.belfry.server.config.SlowConsumerConfig;
import io.belfry.server.config.SlowConsumerConfig.Policy;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.FanOut;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.handoff.CatchUpBounds;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionPlaces;
import io.belfry.server.turn.LongWork;
import io.belfry.server.turn.Ticks;
import io.belfry.server.turn.Turn;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that are not at the head of all their subjects: each has a place per subject from which it continues to read, and
 * none has a queue. Decides when a session is too slow and applies its policy. Owner: the lane's loop.
 *
 * <p>A session that exceeds a bound is closed, or only marked: the messages to skip are determined when its socket is writable
 * again. Until then it costs no more than its places.
 */
public final class SlowSessions implements FanOut.Special {
    private final Turn turn;
    private final LongWork work;
    private final Ticks ticks;
    private final Broker broker;
    private final FanOut fanOut;
    private final LaneReplies replies;
    private final SessionCloser closer;
    private final LoopCounters counters;
    private SlowConsumerConfig config;
    private final Set<Session> stalled = new HashSet<>();

    /** The stalled sessions whose grace was not over at the last check, in the order in which they stalled. */
    private final Set<Session> inGrace = new LinkedHashSet<>();

    private boolean checking;
    private final Places places;
    private final CatchUpReader readingOn;
    private boolean byPattern;

    public SlowSessions(
            Turn turn,
            LongWork work,
            Ticks ticks,
            Broker broker,
            FanOut fanOut,
            LaneReplies replies,
            SessionCloser closer,
            Places places,
            CatchUpReader readingOn,
            LoopCounters counters,
            SlowConsumerConfig config) {
        this.turn = turn;
        this.work = work;
        this.ticks = ticks;
        this.broker = broker;
        this.fanOut = fanOut;
        this.replies = replies;
        this.closer = closer;
        this.places = places;
        this.readingOn = readingOn;
        this.counters = counters;
        this.config = config;
    }

    /** Applies the settings that can change at run time. */
    public void reconfigure(SlowConsumerConfig next) {
        config = next;
        places.reconfigure(next);
        readingOn.reconfigure(next);
    }

    /** Returns the places of the lane's sessions. */
    public Places places() {
        return places;
    }

    /** Returns what reads past messages for the lane's sessions. */
    public CatchUpReader readingOn() {
        return readingOn;
    }

    // ---- live messages ----

    @Override
    public boolean deliveringByPattern(boolean pattern) {
        boolean before = byPattern;
        byPattern = pattern;
        return before;
    }

    @Override
    public boolean admit(Session session, int subject, MessageView message) {
        CatchUp.Place place = session.isCatchingUp() ? SessionPlaces.at(session, subject) : null;
        if (place != null && place.isJoining()) {
            // The answer to the subscription covers this message; a session that has it by a pattern receives it as
            // before.
            return byPattern && whileJoining(session, place, message);
        }
        if (place != null && place.isRequested()) {
            // The conflating subscription has ended, and another one delivers each message.
            readingOn.settle(session, place);
            place = null;
        }
        if (place == null && (session.isReady() || isWithinBudget(session, message))) {
            return direct(session, message);
        }
        onMissed(
                session,
                place == null ? places.beginAt(session, subject, message.seq() - 1, MessageType.LIVE) : place,
                message);
        return false;
    }

    /** Delivers a message of a conflating subscription at once, or the latest one when the socket is writable. */
    public void conflated(Session session, int subject, MessageView message) {
        if (!fanOut.complete(session)) {
            return;
        }
        CatchUp.Place place = session.isCatchingUp() ? SessionPlaces.at(session, subject) : null;
        if (place == null ? session.isReady() : place.isJoining()) {
            boolean before = deliveringByPattern(true);
            fanOut.deliverTo(session, subject, message);
            byPattern = before;
        } else {
            assert place == null || place.isRequested();
            owe(session, place, subject, message);
        }
    }

    private void owe(Session session, CatchUp.@Nullable Place owed, int subject, MessageView message) {
        CatchUp.Place place = owed;
        if (place == null) {
            place = places.beginAt(session, subject, message.seq() - 1, MessageType.LIVE);
            place.requested(true);
        } else {
            counters.conflated(Code.CONFLATE_REQUESTED, 1);
            place.advance(message.seq() - 1);
        }
        SessionPlaces.created(session).onMissed(place, message.seq(), 0);
        places.keepLatest(place, message);
    }

    private boolean direct(Session session, MessageView message) {
        if (!session.isShared()) {
            replies.of(session).message(session, message);
        }
        return session.isShared();
    }

    /** Returns whether the message fits into the small number of bytes that may wait where there is no history to read from. */
    private boolean isWithinBudget(Session session, MessageView message) {
        return !broker.history().keeps() && fits(session, message);
    }

    private boolean fits(Session session, MessageView message) {
        CatchUp catchUp = SessionPlaces.of(session);
        return (catchUp == null || !catchUp.isPast())
                && session.outbound().queuedBytes() + message.contentLength() <= config.maxBytes();
    }

    /** Handles a message by pattern while the answer that starts the place is pending: it is delivered at once. */
    private boolean whileJoining(Session session, CatchUp.Place place, MessageView message) {
        if (session.isReady() || fits(session, message)) {
            return direct(session, message);
        }
        if (places.policyOf(place) == Policy.DISCONNECT) {
            closeBeyondBytes(session);
        } else {
            long epoch = message.epoch();
            byte[] subject = places.nameOf(place);
            readingOn.tellGap(
                    session,
                    subject,
                    new Position(epoch, message.seq() - 1),
                    new Position(epoch, message.seq()),
                    Code.SLOW_CONSUMER);
        }
        return false;
    }

    private void onMissed(Session session, CatchUp.Place place, MessageView message) {
        CatchUp catchUp = SessionPlaces.created(session);
        catchUp.onMissed(place, message.seq(), message.contentLength() + CatchUpBounds.MESSAGE_BYTES);
        boolean keeps = broker.history().keeps();
        boolean beyond = catchUp.behindBytes() > config.maxBytes();
        if (!session.isReady() && (!keeps || catchUp.isPast() || beyond)) {
            onBeyondBytes(session, catchUp, place);
        } else if (!beyond) {
            catchUp.onWithin();
        }
        if (!keeps && !session.isClosed() && places.policyOf(place) == Policy.CONFLATE) {
            places.keepLatest(place, message);
        }
    }

    /**
     * A session that can read its messages from the history takes no more memory while it lags, so it has the grace time to catch up.
     * Without a history its messages wait in memory, and it is closed at once.
     */
    private void onBeyondBytes(Session session, CatchUp catchUp, CatchUp.Place place) {
        if (session.isDetached()) {
            // Kept for a time of its own; what the history loses meanwhile is announced when its client returns.
            return;
        }
        boolean disconnected = catchUp.isPast() ? places.policyOf(place) == Policy.DISCONNECT : isDisconnected(catchUp);
        if (!disconnected) {
            skip(session, catchUp, place);
        } else if (!broker.history().keeps()) {
            closeBeyondBytes(session);
        } else if (catchUp.isBeyondFor(config.graceMillis() * 1_000_000, turn.nowNanos())) {
            close(session, "more than SlowConsumer.MaxBytes behind for SlowConsumer.Grace");
        }
    }

    private void closeBeyondBytes(Session session) {
        close(session, "more than SlowConsumer.MaxBytes waits");
    }

    private void close(Session session, String reason) {
        places.onSlow(session, Code.SLOW_CONSUMER);
        closer.close(session, Code.SLOW_CONSUMER, reason);
    }

    /** Marks the session: the messages to skip are determined when its socket is writable again. */
    private void skip(Session session, CatchUp catchUp, CatchUp.@Nullable Place place) {
        if (!catchUp.isPast()) {
            Policy policy = place == null ? config.policy() : places.policyOf(place);
            places.onSlow(session, policy == Policy.CONFLATE ? Code.CONFLATED : Code.SLOW_CONSUMER);
        }
        catchUp.onPast();
    }

    /** Returns whether one of the subjects has the policy to disconnect; without a missed message the server's policy counts. */
    private boolean isDisconnected(CatchUp catchUp) {
        boolean anywhere = false;
        for (CatchUp.Place place : catchUp.places()) {
            if (!place.isJoining() && places.policyOf(place) == Policy.DISCONNECT) {
                return true;
            }
            anywhere |= !place.isJoining();
        }
        return !anywhere && config.policy() == Policy.DISCONNECT;
    }

    // ---- stalled and writable sockets ----

    @Override
    public void onStalled(Session session) {
        session.ready(false);
        session.outbound().pauseReading();
        SessionPlaces.onStalled(session, turn.nowNanos());
        places.onLagging(session);
        stalled.add(session);
        inGrace.add(session);
        counters.increment(Counter.SLOW_SESSIONS);
    }

    @Override
    public void onFailed(Session session, RuntimeException failure) {
        turn.onFailure(failure);
        closer.close(session, Code.INTERNAL, "internal error of the server");
    }

    /** Called when the socket has taken all bytes it was given. Returns whether the session was stalled. */
    public boolean onReady(Session session) {
        if (session.isReady() || session.isClosed()) {
            return false;
        }
        if (!fanOut.complete(session)) {
            return false;
        }
        session.ready(true);
        session.outbound().resumeReading();
        // Its commands were not read meanwhile, so taking bytes is the only sign of life.
        session.onHeard(ticks.count());
        onMoving(session);
        SessionPlaces.onMoving(session);
        places.onMoved(session);
        readingOn.readNext(session);
        return true;
    }

    /** Called when the session no longer lags, or is closed. */
    private void onMoving(Session session) {
        inGrace.remove(session);
        if (stalled.remove(session)) {
            counters.add(Counter.SLOW_SESSIONS, -1);
        }
    }

    /** Called when the session is closed. */
    public void onEnded(Session session) {
        CatchUp catchUp = SessionPlaces.of(session);
        if (catchUp != null) {
            catchUp.places().forEach(place -> places.endAt(session, place.subject()));
        }
        onDetached(session);
    }

    /** Called when the session has lost its connection. Its places stay: another session may continue from them. */
    public void onDetached(Session session) {
        onMoving(session);
        places.forget(session);
        readingOn.forget(session);
    }

    /** Returns whether the socket of a stalled session took bytes since the last check, which is a sign of life. */
    public boolean hasTaken(Session session) {
        CatchUp catchUp = session.isReady() ? null : SessionPlaces.of(session);
        return catchUp != null && catchUp.hasTaken(session.outbound().queuedBytes());
    }

    /** Closes or marks sessions that have been stalled for longer than the grace; the next turns continue if they are many. */
    public void checkStalled(long nowNanos) {
        readingOn.onTick(nowNanos);
        if (!checking && isGraceOver()) {
            checking = true;
            work.begin(() -> {
                endGrace();
                checking = isGraceOver();
                return checking;
            });
        }
    }

    private boolean isGraceOver() {
        CatchUp first =
                inGrace.isEmpty() ? null : SessionPlaces.of(inGrace.iterator().next());
        return first != null && turn.nowNanos() - first.stalledSinceNanos() > config.graceMillis() * 1_000_000;
    }

    private void endGrace() {
        if (isGraceOver()) {
            Session session = inGrace.iterator().next();
            CatchUp catchUp = SessionPlaces.of(session);
            inGrace.remove(session);
            if (catchUp != null && !catchUp.isPast()) {
                onBeyondGrace(session, catchUp);
            }
        }
    }

    private void onBeyondGrace(Session session, CatchUp catchUp) {
        if (isDisconnected(catchUp)) {
            close(session, "took nothing for SlowConsumer.Grace");
        } else {
            skip(session, catchUp, anyOf(catchUp));
        }
    }

    private static CatchUp.@Nullable Place anyOf(CatchUp catchUp) {
        return catchUp.places().stream()
                .filter(place -> !place.isJoining())
                .findFirst()
                .orElse(null);
    }
}
