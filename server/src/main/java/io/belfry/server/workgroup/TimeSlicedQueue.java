package io.belfry.server.workgroup;

import io.belfry.server.broker.Backbone;
import io.belfry.server.turn.Turn;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tasks of other threads for a lane, which can be many at once, such as the answers of all publishes when Kafka fails or
 * recovers. The lane runs them in the order in which they were added, in time slices, and polls its sockets between two
 * slices. Any thread adds; the lane's loop runs.
 */
final class TimeSlicedQueue implements Backbone.Loop {
    private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean taking = new AtomicBoolean();
    private final Consumer<Runnable> loop;
    private final Consumer<Runnable> nextTurn;
    private final LongSupplier clockNanos;

    /**
     * Creates a queue. Both consumers run a task on the loop, and survive its failure.
     *
     * @param loop runs a task soon; called by any thread
     * @param nextTurn runs a task after the input that arrived at the sockets meanwhile
     */
    TimeSlicedQueue(Consumer<Runnable> loop, Consumer<Runnable> nextTurn, LongSupplier clockNanos) {
        this.loop = loop;
        this.nextTurn = nextTurn;
        this.clockNanos = clockNanos;
    }

    @Override
    public void run(Runnable task) {
        waiting.add(task);
        wake();
    }

    @Override
    public void leave(Runnable task, BooleanSupplier urgent) {
        waiting.add(task);
        if (urgent.getAsBoolean()) {
            wake();
        }
    }

    private void wake() {
        if (taking.compareAndSet(false, true)) {
            loop.accept(this::take);
        }
    }

    private void take() {
        boolean more = true;
        try {
            more = takePiece();
        } finally {
            // Also after a task failed, so that the remaining tasks are not lost.
            if (more) {
                nextTurn.accept(this::take);
            }
        }
    }

    /** Runs one slice; returns false if the queue was empty, so that the next thread that adds a task wakes the loop. */
    private boolean takePiece() {
        long endNanos = clockNanos.getAsLong() + Turn.SLICE_NANOS;
        do {
            @Nullable Runnable next = waiting.poll();
            if (next != null) {
                next.run();
            } else if (isDone()) {
                return false;
            }
        } while (clockNanos.getAsLong() - endNanos < 0);
        return true;
    }

    /** Marks the queue as idle; returns false if a thread added a task at that moment and left it to this slice. */
    private boolean isDone() {
        taking.set(false);
        return waiting.isEmpty() || !taking.compareAndSet(false, true);
    }
}
