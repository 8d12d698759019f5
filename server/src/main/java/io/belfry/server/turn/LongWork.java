package io.belfry.server.turn;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/**
 * Work of a lane that can take longer than a turn, such as ending thousands of sessions: it is done in steps of some microseconds, for a
 * bounded time in each turn, and the sockets are served in between. Several works take turns, step by step. Owner: the lane's
 * loop.
 */
public final class LongWork {
    private final Turn turn;
    private final LoopCounters counters;
    private final Runnable continuing = this::onTurn;
    private final Deque<BooleanSupplier> waiting = new ArrayDeque<>();
    private boolean expected;
    private boolean working;

    public LongWork(Turn turn, LoopCounters counters) {
        this.turn = turn;
        this.counters = counters;
    }

    /**
     * Begins a work, in this turn if there is time and no other work waits. A step returns whether there are more; a step that fails
     * ends its work.
     */
    public void begin(BooleanSupplier step) {
        waiting.add(step);
        if (!working && !expected) {
            work(turn.nowNanos() + Turn.SLICE_NANOS);
        }
    }

    private void onTurn() {
        expected = false;
        work(Math.max(turn.nowNanos() + Turn.SLICE_NANOS, turn.clockNanos() + Turn.LEAST_NANOS));
    }

    private void work(long endNanos) {
        working = true;
        try {
            while (!waiting.isEmpty() && turn.clockNanos() - endNanos < 0) {
                BooleanSupplier step = waiting.remove();
                if (isUnfinished(step)) {
                    waiting.add(step);
                }
            }
        } finally {
            working = false;
            if (!waiting.isEmpty()) {
                expected = true;
                counters.increment(Counter.WORK_DEFERRED);
                turn.next(continuing);
            }
        }
    }

    private boolean isUnfinished(BooleanSupplier step) {
        try {
            return step.getAsBoolean();
        } catch (RuntimeException failure) {
            turn.onFailure(failure);
            return false;
        }
    }
}
