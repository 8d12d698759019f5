package io.belfry.server.home;

import io.belfry.protocol.Position;
import io.belfry.server.broker.Broker;
import io.belfry.server.handoff.ToHome;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.Turn;

/**
 * Joins of clients whose position, received from another node, is ahead of this node: answered when this node reaches the
 * position, or after a short time if it does not. Owner: the lane's loop.
 */
final class LateJoins {
    private static final long PAUSE_NANOS = 10_000_000;
    private static final int PAUSES_MAX = 500;

    @FunctionalInterface
    private interface Answer {
        void give(boolean reached);
    }

    private final Turn turn;
    private final Broker broker;
    private final LaneSubjects subjects;
    private final ToHome home;
    private final SubjectKey key;
    private boolean late;
    private boolean reached;

    LateJoins(Turn turn, Broker broker, LaneSubjects subjects, ToHome home, long seed) {
        this.turn = turn;
        this.broker = broker;
        this.subjects = subjects;
        this.home = home;
        key = new SubjectKey(seed);
    }

    /** Returns whether the current join has waited its time and is answered with the present state. */
    boolean isLate() {
        return late;
    }

    /** Returns whether this node has delivered the messages before the join's position. */
    boolean hasReached() {
        return reached;
    }

    void await(int edge, long session, int ticket, long commandId, SubjectKey subject, Position from) {
        byte[] name = subject.copy();
        int id = subjects.findOrAdd(subject);
        subjects.pin(id);
        look(id, from.seq(), PAUSES_MAX, isThere -> {
            late = true;
            reached = isThere;
            try {
                home.join(edge, session, ticket, commandId, key.set(name), from, 0, false);
            } finally {
                late = false;
                reached = false;
                subjects.unpin(id);
            }
        });
    }

    private void look(int id, long seq, int pauses, Answer answer) {
        if (broker.isReached(id, seq)) {
            // Messages up to the position may still be queued; they must precede the answer.
            broker.behindMessages(() -> answer.give(true));
        } else if (pauses == 0) {
            answer.give(false);
        } else {
            turn.after(PAUSE_NANOS, () -> look(id, seq, pauses - 1, answer));
        }
    }
}
