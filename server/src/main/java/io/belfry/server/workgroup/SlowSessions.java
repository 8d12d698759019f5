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
import io.belfry.server.subject.SubjectKey;
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

    /** Places of a session that are read at once, so that what is on its way to it has a bound. */
    private static final int READINGS_MAX = 8;

    private final Lane lane;
    private final Edge edge;
    private final LaneSubjects subjects;
    private final LoopCounters counters;
    private SlowConsumerConfig config;
    private final Set<Session> stalled = new HashSet<>();
    private final LatestMessages latest = new LatestMessages();
    private int lastTicket;
    private boolean byPattern;

    SlowSessions(Lane lane, Edge edge, LaneSubjects subjects, LoopCounters counters, SlowConsumerConfig config) {
        this.lane = lane;
        this.edge = edge;
        this.subjects = subjects;
        this.counters = counters;
        this.config = config;
    }

    void reconfigure(SlowConsumerConfig next) {
        config = next;
    }

    // ---- places ----

    /** The session reads this subject from a place on; what it was reading there before is forgotten. */
    CatchUp.Place beginAt(Session session, int subject, long afterSeq, MessageType type) {
        // Pinned first: the place that ends may be all that keeps the subject known.
        subjects.pin(subject);
        endAt(session, subject);
        return CatchUp.begin(session, subject, ++lastTicket, afterSeq, type);
    }

    void endAt(Session session, int subject) {
        CatchUp.Place place = CatchUp.at(session, subject);
        if (place != null) {
            latest.release(place);
            CatchUp.end(session, subject);
            subjects.unpin(subject);
        }
    }

    Policy policyOf(CatchUp.Place place) {
        return config.rules().isEmpty()
                ? config.policy()
                : config.policyOf(subjects.table().key(place.subject()));
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
        if (place == null && (session.isReady() || isWithinBudget(session, message))) {
            return direct(session, message);
        }
        onMissed(
                session,
                place == null ? beginAt(session, subject, message.seq() - 1, MessageType.LIVE) : place,
                message);
        return false;
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
        if (policyOf(place) == Policy.DISCONNECT) {
            closeBeyondBytes(session);
        } else {
            long epoch = message.epoch();
            byte[] subject = subjects.table().key(place.subject());
            tellGap(
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
        if (!keeps && !session.isClosed() && policyOf(place) == Policy.CONFLATE) {
            latest.keep(place, message);
        }
    }

    private void onBeyondBytes(Session session, CatchUp catchUp, CatchUp.Place place) {
        if (catchUp.isPast() ? policyOf(place) == Policy.DISCONNECT : isDisconnected(catchUp)) {
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
            if (!place.isJoining() && policyOf(place) == Policy.DISCONNECT) {
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
        readNext(session);
        edge.onReady(session);
    }

    /** The session lags no more, or is no more. */
    void onMoving(Session session) {
        if (stalled.remove(session)) {
            counters.add(Counter.SLOW_SESSIONS, -1);
        }
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

    // ---- reading on ----

    /** A read brought a block and there is more. */
    void onMore(Session session, CatchUp.Place place) {
        CatchUp catchUp = CatchUp.of(session);
        if (catchUp != null) {
            catchUp.wait(place);
        }
    }

    /** Whether the session may be given more of the past than is on its way already. */
    boolean mayRead(Session session) {
        CatchUp catchUp = CatchUp.of(session);
        return session.isReady() && (catchUp == null || catchUp.readings() < READINGS_MAX);
    }

    /** Reads on at some places in turn; each answer makes room for the next. */
    void readNext(Session session) {
        CatchUp catchUp = CatchUp.of(session);
        while (catchUp != null && session.isReady() && !session.isClosed() && catchUp.readings() < READINGS_MAX) {
            CatchUp.Place place = catchUp.nextWaiting();
            if (place == null) {
                return;
            }
            if (session.pendingEnd() != 0 && session.outbound().queuedBytes() >= Home.READ_BYTES) {
                catchUp.wait(place);
                readLater(session.reference());
                return;
            }
            CatchUp.Join join = place.takeJoin();
            if (join != null) {
                join(session, place, join);
            } else if (lane.broker().history().keeps()) {
                readOn(session, catchUp, place);
            } else {
                settle(session, place);
            }
            catchUp = CatchUp.of(session);
        }
    }

    /** When what it was given has been written, and its socket has shown whether it takes more. */
    private void readLater(long reference) {
        lane.later(() -> {
            Session session = edge.find(reference);
            if (session != null) {
                readNext(session);
            }
        });
    }

    private void join(Session session, CatchUp.Place place, CatchUp.Join join) {
        place.reading(true);
        SubjectKey subject = lane.readKey().set(subjects.table(), place.subject());
        lane.homeLater(subjects.homeOf(subject))
                .join(
                        lane.index(),
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
        Cut cut = cut(catchUp, place);
        SubjectKey subject = lane.readKey().set(subjects.table(), place.subject());
        lane.homeLater(subjects.homeOf(subject))
                .read(lane.index(), session.reference(), place.ticket(), subject, place.afterSeq(), place.type(), cut);
    }

    private Cut cut(CatchUp catchUp, CatchUp.Place place) {
        boolean past = place.takePast();
        Policy policy = policyOf(place);
        if (policy == Policy.DISCONNECT) {
            return Cut.NOTHING;
        }
        return new Cut(policy, past ? share(catchUp) : Cut.ALL, place.isLagging() ? config.graceMillis() : Cut.ALL);
    }

    private long share(CatchUp catchUp) {
        return config.maxBytes() / Math.max(1, catchUp.count());
    }

    /** There is no history to read on from: what was missed is told, and the latest of it where a copy is kept. */
    private void settle(Session session, CatchUp.Place place) {
        byte[] subject = subjects.table().key(place.subject());
        HeldMessage kept = latest.of(place);
        long epoch = lane.broker().epoch();
        long to = kept == null ? place.missedSeq() : kept.seq() - 1;
        if (to > place.afterSeq()) {
            Code reason = kept == null ? Code.SLOW_CONSUMER : Code.CONFLATED;
            tellGap(session, subject, new Position(epoch, place.afterSeq()), new Position(epoch, to), reason);
        }
        if (kept != null) {
            edge.repliesOf(session).message(session, kept.view());
        }
        endAt(session, place.subject());
        edge.repliesOf(session).caughtUp(session, subject);
    }

    /** Part of what was to be read does not come. */
    void onGap(
            Session session,
            CatchUp.Place place,
            SubjectKey subject,
            @Nullable Position from,
            Position to,
            Code reason) {
        place.advance(to.seq());
        if (place.isLagging() && reason == Code.HISTORY_GONE && policyOf(place) == Policy.DISCONNECT) {
            edge.close(session, Code.SLOW_CONSUMER, "fell behind what the history keeps");
            return;
        }
        CatchUp catchUp = CatchUp.of(session);
        if (catchUp != null && (reason == Code.SLOW_CONSUMER || reason == Code.CONFLATED)) {
            place.leftOut(reason == Code.CONFLATED ? 0 : share(catchUp));
        }
        tellGap(
                session,
                subject.copy(),
                from,
                to,
                place.isLagging() && reason == Code.HISTORY_GONE ? Code.SLOW_CONSUMER : reason);
    }

    /** What a session is told it will not get is counted by the reason it is told. */
    private void tellGap(Session session, byte[] subject, @Nullable Position from, Position to, Code reason) {
        // How many lie between two epochs nobody knows; RECOVERIES_WITH_GAP counts that it happened.
        if (from != null && from.epoch() == to.epoch() && from.seq() < to.seq()) {
            long messages = to.seq() - from.seq();
            if (reason == Code.CONFLATED) {
                counters.conflated(reason, messages);
            } else {
                counters.dropped(reason, messages);
            }
        }
        edge.repliesOf(session).gap(session, subject, from, to, reason);
    }
}
