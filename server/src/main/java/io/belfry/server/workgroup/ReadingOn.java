package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.Position;
import io.belfry.server.config.SlowConsumerConfig;
import io.belfry.server.config.SlowConsumerConfig.Policy;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.Session;
import io.belfry.server.subject.SubjectKey;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * How sessions whose sockets take bytes get from their places to the heads of their subjects: some places at a time, a
 * block at a time, and without what their policy leaves out. Owner: the lane's loop.
 */
final class ReadingOn {
    /** Places of a session that are read at once, so that what is on its way to it has a bound. */
    static final int READINGS_MAX = 8;

    /** Sessions that are given more of the past before live messages have their turn again. */
    private static final int SESSIONS_A_TURN = 4;

    private final Lane lane;
    private final Edge edge;
    private final Places places;
    private final LaneSubjects subjects;
    private final LoopCounters counters;
    private SlowConsumerConfig config;

    /** Those that were given a block; empty or waiting for the next turn. */
    private final Deque<Session> given = new ArrayDeque<>();

    private boolean turnExpected;

    ReadingOn(
            Lane lane,
            Edge edge,
            Places places,
            LaneSubjects subjects,
            LoopCounters counters,
            SlowConsumerConfig config) {
        this.lane = lane;
        this.edge = edge;
        this.places = places;
        this.subjects = subjects;
        this.counters = counters;
        this.config = config;
    }

    void reconfigure(SlowConsumerConfig next) {
        config = next;
    }

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

    /**
     * Reads on when others have had their turn: a socket that takes megabytes at once would keep the lane busy with one
     * session's past for as long as it takes them.
     */
    void readInTurn(Session session) {
        if (given.peekLast() != session) {
            given.add(session);
        }
        expectTurn();
    }

    private void expectTurn() {
        if (!turnExpected && !given.isEmpty()) {
            turnExpected = true;
            lane.nextTurn(this::takeTurn);
        }
    }

    private void takeTurn() {
        turnExpected = false;
        try {
            // Who is given again meanwhile has its next turn, when what it was given has been written.
            for (int left = Math.min(SESSIONS_A_TURN, given.size()); left > 0; left--) {
                readNext(given.remove());
            }
        } finally {
            expectTurn();
        }
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
                readInTurn(session);
                return;
            }
            CatchUp.Join join = place.takeJoin();
            if (join != null) {
                join(session, place, join);
            } else if (lane.broker().history().keeps() && !place.isRequested()) {
                readOn(session, catchUp, place);
            } else {
                settle(session, place);
            }
            catchUp = CatchUp.of(session);
        }
    }

    private void join(Session session, CatchUp.Place place, CatchUp.Join join) {
        place.reading(true);
        SubjectKey subject = places.keyOf(place);
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
        SubjectKey subject = places.keyOf(place);
        lane.homeLater(subjects.homeOf(subject))
                .read(lane.index(), session.reference(), place.ticket(), subject, place.afterSeq(), place.type(), cut);
    }

    private Cut cut(CatchUp catchUp, CatchUp.Place place) {
        boolean past = place.takePast();
        Policy policy = places.policyOf(place);
        if (policy == Policy.DISCONNECT) {
            return Cut.NOTHING;
        }
        return new Cut(policy, past ? share(catchUp) : Cut.ALL, place.isLagging() ? config.graceMillis() : Cut.ALL);
    }

    private long share(CatchUp catchUp) {
        return config.maxBytes() / Math.max(1, catchUp.count());
    }

    /** There is nothing to read on from: what was missed is told, and the latest of it where a copy is kept. */
    void settle(Session session, CatchUp.Place place) {
        byte[] subject = places.nameOf(place);
        HeldMessage kept = places.latestFor(place);
        long epoch = lane.broker().epoch();
        long to = kept == null ? place.missedSeq() : kept.seq() - 1;
        if (to > place.afterSeq() && !place.isRequested()) {
            Code reason = kept == null ? Code.SLOW_CONSUMER : Code.CONFLATED;
            tellGap(session, subject, new Position(epoch, place.afterSeq()), new Position(epoch, to), reason);
        }
        if (kept != null) {
            edge.repliesOf(session).message(session, kept.view());
            edge.conflation().given(session, place.subject(), kept.seq());
        }
        places.endAt(session, place.subject());
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
        boolean lostByLagging = place.isLagging() && reason == Code.HISTORY_GONE;
        if (lostByLagging && places.policyOf(place) == Policy.DISCONNECT) {
            edge.close(session, Code.SLOW_CONSUMER, "fell behind what the history keeps");
            return;
        }
        CatchUp catchUp = CatchUp.of(session);
        if (catchUp != null && (reason == Code.SLOW_CONSUMER || reason == Code.CONFLATED)) {
            place.leftOut(reason == Code.CONFLATED ? 0 : share(catchUp));
        }
        tellGap(session, subject.copy(), from, to, lostByLagging ? Code.SLOW_CONSUMER : reason);
    }

    /** What a session is told it will not get is counted by the reason it is told. */
    void tellGap(Session session, byte[] subject, @Nullable Position from, Position to, Code reason) {
        // How many lie between two epochs nobody knows; RECOVERIES_WITH_GAP counts that it happened.
        if (from != null && from.epoch() == to.epoch() && from.seq() < to.seq()) {
            // Where seqs have holes nobody knows either; one at least it is.
            long messages = lane.broker().isShared() ? 1 : to.seq() - from.seq();
            if (reason == Code.CONFLATED) {
                counters.conflated(reason, messages);
            } else {
                counters.dropped(reason, messages);
            }
        }
        edge.repliesOf(session).gap(session, subject, from, to, reason);
    }
}
