package io.belfry.server.turn;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The present turn of a lane, its time, and tasks for this turn or a later one. Owner: the lane's loop; methods for other
 * threads say so.
 *
 * <p>A <em>turn</em> is the work of the loop between two polls of its sockets. During a turn outgoing data is only
 * recorded; at its end each session gets one write and each other lane one batch.
 */
public final class Turn {
    /** The work at the end of each turn. */
    public interface End {
        /** Called within the turn, with its time. */
        void endTurn();

        /** Called after the turn; the next event starts another one. */
        void afterTurn();
    }

    /**
     * Maximum time that a turn spends on one kind of work, for example on reading or on writing. The lane then polls its sockets, and
     * does the rest of the work in the next turn.
     */
    public static final long SLICE_NANOS = 500_000;

    /** Minimum time for a kind of work in a turn in which other work has already taken long. */
    public static final long LEAST_NANOS = SLICE_NANOS / 2;

    private static final Logger LOG = LoggerFactory.getLogger(Turn.class);

    private final Loop loop;
    private final Clock clock;
    private final LoopCounters counters;
    private final End end;
    private final Runnable finish = this::finish;
    private final Failures failures = new Failures(LOG);
    private boolean begun;
    private long nowNanos;
    private long nowMillis;

    public Turn(Loop loop, Clock clock, LoopCounters counters, End end) {
        this.loop = loop;
        this.clock = clock;
        this.counters = counters;
        this.end = end;
    }

    /** Starts a turn. The time is read once, when the first event occurs. */
    public void begin() {
        if (!begun) {
            begun = true;
            nowNanos = clock.nanos();
            nowMillis = clock.millis();
            loop.execute(finish);
        }
    }

    private void finish() {
        end.endTurn();
        begun = false;
        end.afterTurn();
    }

    /** Returns the monotonic time at the turn's begin. */
    public long nowNanos() {
        return nowNanos;
    }

    /** Returns the present monotonic time, to bound work within a turn. */
    public long clockNanos() {
        return clock.nanos();
    }

    /** Returns the time at the turn's begin, in milliseconds since 1970. */
    public long nowMillis() {
        return nowMillis;
    }

    /** Returns whether the caller is on the lane's loop. */
    public boolean inLoop() {
        return loop.inLoop();
    }

    /** Runs the task on the loop, at once if called on it. Any thread. */
    public void run(Runnable task) {
        if (loop.inLoop()) {
            begin();
            task.run();
        } else {
            loop.execute(() -> {
                begin();
                task.run();
            });
        }
    }

    /** Runs the task after this turn's bytes have been written. Any thread. */
    public void later(Runnable task) {
        loop.execute(() -> contained(task));
    }

    /** Runs the task in the next turn, after the input of clients and other lanes. */
    public void next(Runnable task) {
        loop.nextTurn(() -> contained(task));
    }

    /** Runs the task in a turn of its own after this time. */
    public void after(long nanos, Runnable task) {
        loop.after(nanos, () -> contained(task));
    }

    private void contained(Runnable task) {
        begin();
        try {
            task.run();
        } catch (RuntimeException failure) {
            onFailure(failure);
        }
    }

    /** Logs and counts an unexpected exception that ends only the session or task in which it occurred. */
    public void onFailure(Throwable failure) {
        counters.increment(Counter.LOOP_FAILURES);
        failures.log(failure);
    }
}
