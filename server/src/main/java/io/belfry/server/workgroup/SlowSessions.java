package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.server.config.SlowConsumerConfig;
import io.belfry.server.config.SlowConsumerConfig.Policy;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.Session;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that are not at the head of all their subjects: each has a place per subject from which it reads on, and none
 * has a queue. Decides when one is too slow and what follows. Owner: the lane's loop.
 *
 * <p>A session past a bound is closed, or only marked: what it is not to get is left out when its socket takes bytes again
 * and it reads on, so that meanwhile it costs no more than its places.
 */
final class SlowSessions implements FanOut.Special {
    /** Counted for a message beside its data, so that empty ones do not let a session fall behind without end. */
    static final int MESSAGE_BYTES = 32;

    private final Lane lane;
    private final Edge edge;
    private final LaneSubjects subjects;
    private final LoopCounters counters;
    private SlowConsumerConfig config;
    private final Set<Session> stalled = new HashSet<>();
    private final Places places;
    private final ReadingOn readingOn;
    private boolean byPattern;

    SlowSessions(Lane lane, Edge edge, LaneSubjects subjects, LoopCounters counters, SlowConsumerConfig config) {
        this.lane = lane;
        this.edge = edge;
        this.subjects = subjects;
        this.counters = counters;
        this.config = config;
        places = new Places(lane, subjects, config);
        readingOn = new ReadingOn(lane, edge, places, subjects, counters, config);
    }

    void reconfigure(SlowConsumerConfig next) {
        config = next;
        places.reconfigure(next);
        readingOn.reconfigure(next);
    }

    Places places() {
        return places;
    }

    ReadingOn readingOn() {
        return readingOn;
    }

    // ---- what a message meets ----

    /** What is delivered from here on comes by patterns, or by name again. */
    void deliveringByPattern(boolean pattern) {
        byPattern = pattern;
    }

    @Override
    public boolean admit(Session session, int subject, MessageView message) {
        CatchUp.Place place = session.isCatchingUp() ? CatchUp.at(session, subject) : null;
        if (place != null && place.isJoining()) {
            // The answer to the subscription covers this message; whoever has it by a pattern gets it as before.
            return byPattern && whileJoining(session, place, message);
        }
        if (place != null && place.isRequested()) {
            // The subscription that asked for the latest only is gone, and another brings each message.
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

    /** A message of a conflating subscription: the session gets it now, or the latest when its socket takes bytes. */
    void conflated(Session session, int subject, MessageView message) {
        CatchUp.Place place = session.isCatchingUp() ? CatchUp.at(session, subject) : null;
        if (place == null ? session.isReady() : place.isJoining()) {
            boolean before = byPattern;
            byPattern = true;
            lane.fanOut().deliverTo(session, subject, message);
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
        CatchUp.created(session).onMissed(place, message.seq(), 0);
        places.keepLatest(place, message);
    }

    private boolean direct(Session session, MessageView message) {
        if (!session.isShared()) {
            edge.repliesOf(session).message(session, message);
        }
        return session.isShared();
    }

    /** Where there is nothing to read on from, a small budget of bytes waits in the session's outbound. */
    private boolean isWithinBudget(Session session, MessageView message) {
        return !lane.broker().history().keeps() && fits(session, message);
    }

    private boolean fits(Session session, MessageView message) {
        CatchUp catchUp = CatchUp.of(session);
        return (catchUp == null || !catchUp.isPast())
                && session.outbound().queuedBytes() + message.dataLength() <= config.maxBytes();
    }

    /** The place is not there for the pattern, and the answer that will begin it is on its way: told at once. */
    private boolean whileJoining(Session session, CatchUp.Place place, MessageView message) {
        if (session.isReady() || fits(session, message)) {
            return direct(session, message);
        }
        if (places.policyOf(place) == Policy.DISCONNECT) {
            closeBeyondBytes(session);
        } else {
            long epoch = message.epoch();
            byte[] subject = subjects.table().key(place.subject());
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
        CatchUp catchUp = CatchUp.created(session);
        catchUp.onMissed(place, message.seq(), message.dataLength() + MESSAGE_BYTES);
        boolean keeps = lane.broker().history().keeps();
        if (!session.isReady() && (!keeps || catchUp.isPast() || catchUp.behindBytes() > config.maxBytes())) {
            onBeyondBytes(session, catchUp, place);
        }
        if (!keeps && !session.isClosed() && places.policyOf(place) == Policy.CONFLATE) {
            places.keepLatest(place, message);
        }
    }

    private void onBeyondBytes(Session session, CatchUp catchUp, CatchUp.Place place) {
        if (catchUp.isPast() ? places.policyOf(place) == Policy.DISCONNECT : isDisconnected(catchUp)) {
            closeBeyondBytes(session);
        } else {
            catchUp.onPast();
        }
    }

    private void closeBeyondBytes(Session session) {
        edge.close(session, Code.SLOW_CONSUMER, "more than SlowConsumer.MaxBytes behind");
    }

    /** One subject that says so is enough; who misses nothing, and only takes nothing, is judged by the server's policy. */
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

    // ---- stalling and moving ----

    @Override
    public void onStalled(Session session) {
        session.ready(false);
        session.outbound().pauseReading();
        CatchUp.onStalled(session, lane.nowNanos());
        places.onLagging(session);
        stalled.add(session);
        counters.increment(Counter.SLOW_SESSIONS);
    }

    @Override
    public void onFailed(Session session, RuntimeException failure) {
        lane.onFailure(failure);
        edge.close(session, Code.INTERNAL, "a fault in the server");
    }

    /** The socket took everything it was given. */
    void onReady(Session session) {
        if (session.isReady() || session.isClosed()) {
            return;
        }
        session.ready(true);
        session.outbound().resumeReading();
        // Its commands were not read meanwhile, so taking bytes is all the life it could show.
        lane.onHeard(session);
        onMoving(session);
        CatchUp.onMoving(session);
        places.onMoved(session);
        readingOn.readNext(session);
        edge.onReady(session);
    }

    /** The session lags no more, or is no more. */
    void onMoving(Session session) {
        if (stalled.remove(session)) {
            counters.add(Counter.SLOW_SESSIONS, -1);
        }
    }

    /** The session is no more, and its places are none. */
    void onEnded(Session session) {
        onMoving(session);
        places.forget(session);
    }

    /** What the socket of a stalled session took since it was looked at last is a sign of life. */
    boolean hasTaken(Session session) {
        CatchUp catchUp = session.isReady() ? null : CatchUp.of(session);
        return catchUp != null && catchUp.hasTaken(session.outbound().queuedBytes());
    }

    /** Judges sessions that have been stalled for longer than the grace. */
    void checkStalled(long nowNanos) {
        if (stalled.isEmpty()) {
            return;
        }
        for (Session session : List.copyOf(stalled)) {
            CatchUp catchUp = CatchUp.of(session);
            if (catchUp != null
                    && !catchUp.isPast()
                    && nowNanos - catchUp.stalledSinceNanos() > config.graceMillis() * 1_000_000) {
                onBeyondGrace(session, catchUp);
            }
        }
    }

    private void onBeyondGrace(Session session, CatchUp catchUp) {
        if (isDisconnected(catchUp)) {
            edge.close(session, Code.SLOW_CONSUMER, "took nothing for SlowConsumer.Grace");
        } else {
            catchUp.onPast();
        }
    }
}
