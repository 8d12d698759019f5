package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.server.config.SlowConsumerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.Session;
import io.belfry.server.subject.SubjectKey;
import java.util.HashSet;
import java.util.Set;

/**
 * Sessions that are not at the head of all their subjects: each has a place per subject from which it reads on, and none
 * has a queue. Decides when one is too slow. Owner: the lane's loop.
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

    boolean areDisconnected() {
        return config.policy() == SlowConsumerConfig.Policy.DISCONNECT;
    }

    /** The session reads this subject from a place on; what it was reading there before is forgotten. */
    CatchUp.Place beginAt(Session session, int subject, long afterSeq, MessageType type) {
        // Pinned first: the place that ends may be all that keeps the subject known.
        subjects.pin(subject);
        endAt(session, subject);
        return CatchUp.begin(session, subject, ++lastTicket, afterSeq, type);
    }

    void endAt(Session session, int subject) {
        if (CatchUp.at(session, subject) != null) {
            CatchUp.end(session, subject);
            subjects.unpin(subject);
        }
    }

    void readOn(Session session, CatchUp.Place place) {
        place.reading(true);
        SubjectKey subject = lane.readKey().set(subjects.table(), place.subject());
        lane.homeLater(subjects.homeOf(subject))
                .read(lane.index(), session.reference(), place.ticket(), subject, place.afterSeq(), place.type());
    }

    /** What is delivered from here on comes by patterns, or by name again. */
    void deliveringByPattern(boolean pattern) {
        byPattern = pattern;
    }

    @Override
    public boolean admit(Session session, int subject, MessageView message) {
        CatchUp.Place place = session.isCatchingUp() ? CatchUp.at(session, subject) : null;
        if (place != null && place.isJoining()) {
            // The answer to the subscription covers this message; whoever has it by a pattern gets it as before.
            return byPattern && (session.isReady() ? direct(session, message) : withinBudget(session, message));
        }
        if (place != null) {
            onMissed(session, message);
            return false;
        }
        if (session.isReady()) {
            return direct(session, message);
        }
        if (lane.broker().history().keeps()) {
            beginAt(session, subject, message.seq() - 1, MessageType.LIVE);
            onMissed(session, message);
            return false;
        }
        return withinBudget(session, message);
    }

    private boolean direct(Session session, MessageView message) {
        if (!session.isShared()) {
            edge.repliesOf(session).message(session, message);
        }
        return session.isShared();
    }

    /** Where there is nothing to read on from, a small budget of bytes is all a session can fall behind. */
    private boolean withinBudget(Session session, MessageView message) {
        if (session.outbound().queuedBytes() + message.dataLength() <= config.maxBytes()) {
            return direct(session, message);
        }
        edge.close(session, Code.SLOW_CONSUMER, "more than SlowConsumer.MaxBytes behind");
        return false;
    }

    private void onMissed(Session session, MessageView message) {
        CatchUp catchUp = CatchUp.created(session);
        catchUp.onMissed(message.dataLength() + MESSAGE_BYTES);
        if (!session.isReady() && catchUp.behindBytes() > config.maxBytes()) {
            edge.close(session, Code.SLOW_CONSUMER, "more than SlowConsumer.MaxBytes behind");
        }
    }

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
        onMoving(session);
        CatchUp catchUp = CatchUp.of(session);
        if (catchUp != null) {
            for (CatchUp.Place place : catchUp.places()) {
                if (!place.isReading()) {
                    readOn(session, place);
                }
            }
        }
        CatchUp.onMoving(session);
        edge.onReady(session);
    }

    /** The session lags no more, or is no more. */
    void onMoving(Session session) {
        if (stalled.remove(session)) {
            counters.add(Counter.SLOW_SESSIONS, -1);
        }
    }

    /** Ends sessions that have been stalled for longer than the grace. */
    void checkStalled(long nowNanos) {
        if (stalled.isEmpty()) {
            return;
        }
        for (Session session : Set.copyOf(stalled)) {
            CatchUp catchUp = CatchUp.of(session);
            if (catchUp != null && nowNanos - catchUp.stalledSinceNanos() > config.graceMillis() * 1_000_000) {
                edge.close(session, Code.SLOW_CONSUMER, "took nothing for SlowConsumer.Grace");
            }
        }
    }
}
