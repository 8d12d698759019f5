package io.belfry.server.workgroup;

import io.belfry.protocol.Position;
import io.belfry.server.subject.SubjectKey;

/**
 * Joins of clients that have been further on another node than this one is: answered as soon as this node is there, or
 * when it is not within a moment. Owner: the lane's loop.
 */
final class LateJoins {
    private static final long PAUSE_NANOS = 10_000_000;
    private static final int PAUSES_MAX = 200;

    @FunctionalInterface
    private interface Answer {
        void give(boolean reached);
    }

    private final Lane lane;
    private final Home home;
    private final SubjectKey key;
    private boolean late;
    private boolean reached;

    LateJoins(Lane lane, Home home, long seed) {
        this.lane = lane;
        this.home = home;
        key = new SubjectKey(seed);
    }

    /** Whether the join in hand has waited and is to be answered as things are. */
    boolean isLate() {
        return late;
    }

    /** Whether what lies before its position has been told of here. */
    boolean hasReached() {
        return reached;
    }

    void await(int edge, long session, int ticket, long commandId, SubjectKey subject, Position from) {
        byte[] name = subject.copy();
        int id = lane.subjects().findOrAdd(subject);
        lane.subjects().pin(id);
        look(id, from.seq(), PAUSES_MAX, isThere -> {
            late = true;
            reached = isThere;
            try {
                home.join(edge, session, ticket, commandId, key.set(name), from, 0, false);
            } finally {
                late = false;
                reached = false;
                lane.subjects().unpin(id);
            }
        });
    }

    private void look(int id, long seq, int pauses, Answer answer) {
        if (lane.broker().isReached(id, seq)) {
            // Messages up to the position may still be on their way: they must not come behind the answer.
            lane.broker().behindMessages(() -> answer.give(true));
        } else if (pauses == 0) {
            answer.give(false);
        } else {
            lane.after(PAUSE_NANOS, () -> look(id, seq, pauses - 1, answer));
        }
    }
}
