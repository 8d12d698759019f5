package io.belfry.server.home;

import io.belfry.protocol.MessageView;
import io.belfry.server.handoff.LaneOptions;
import io.belfry.server.history.Retained;
import io.belfry.server.turn.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Decides which stored messages are not delivered any more: those whose time to live has ended, and retained messages that are
 * older than their subject's options allow. Owner: the lane's loop.
 */
final class Lifetime {
    private static final int VISITS_PER_SWEEP = 1024;

    private final Turn turn;
    private final LaneOptions options;
    private final List<Integer> ended = new ArrayList<>();
    private long cursor;

    Lifetime(Turn turn, LaneOptions options) {
        this.turn = turn;
        this.options = options;
    }

    /** Returns whether the time to live of the message has ended. */
    boolean hasEnded(MessageView message) {
        return message.hasEnded(turn.nowMillis());
    }

    /** Fills the view with the subject's retained message; returns whether there is one to deliver. */
    boolean show(Retained retained, int subject, MessageView view) {
        return retained.show(subject, view) && !isOver(subject, view);
    }

    private boolean isOver(int subject, MessageView message) {
        return hasEnded(message)
                || message.timeMillis() < turn.nowMillis() - options.of(subject).retainedMillis();
    }

    /** Removes some retained messages that are not delivered any more, and passes their subjects on. Called periodically. */
    void sweep(Retained retained, MessageView view, IntConsumer removed) {
        if (retained.size() == 0 || (!retained.mayEnd() && !options.limitsRetained())) {
            return;
        }
        long next = retained.readAfter(cursor, VISITS_PER_SWEEP, subject -> {
            if (!show(retained, subject, view)) {
                ended.add(subject);
            }
            return true;
        });
        cursor = next == Retained.END ? 0 : next;
        for (int subject : ended) {
            retained.remove(subject);
            removed.accept(subject);
        }
        ended.clear();
    }
}
