package io.belfry.server.workgroup;

import io.belfry.server.broker.Backbone;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What other threads have for a lane where it can be much at once, as the answers of all publishes when Kafka is lost or found:
 * taken in the order in which it was added, in pieces, and between two of them the lane looks at its sockets. Any thread adds;
 * the lane's loop takes.
 */
final class Pieces implements Backbone.Loop {
    static final long PIECE_NANOS = 2_000_000;

    private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean taking = new AtomicBoolean();
    private final Consumer<Runnable> loop;
    private final Consumer<Runnable> nextTurn;
    private final LongSupplier clockNanos;

    /**
     * Both run a task on the loop and survive its failure.
     *
     * @param loop for any thread
     * @param nextTurn behind what came to the sockets meanwhile
     */
    Pieces(Consumer<Runnable> loop, Consumer<Runnable> nextTurn, LongSupplier clockNanos) {
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
            // Also where a task failed: the others are not lost with it.
            if (more) {
                nextTurn.accept(this::take);
            }
        }
    }

    /** False when there was nothing left, and who adds something says so to the loop again. */
    private boolean takePiece() {
        long endNanos = clockNanos.getAsLong() + PIECE_NANOS;
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

    /** Somebody may add at this moment, and leave it to us. */
    private boolean isDone() {
        taking.set(false);
        return waiting.isEmpty() || !taking.compareAndSet(false, true);
    }
}
