package io.belfry.server.delivery;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.turn.Clock;
import java.util.Arrays;

/**
 * The sessions to write to: those that got bytes in this turn, and those whose writes were left to later turns, because a turn
 * writes for a bounded time. Owner: the lane's loop.
 */
final class TurnWrites {
    /** Writes to sessions, and records what was written. */
    interface Writer {
        /** Writes to the session of this slot, which may have ended. Returns the number of messages of this turn written. */
        int write(int slot, long nowNanos);

        /** Records that messages were written, the oldest of which was received at this time. */
        void onWritten(int messages, long receivedNanos);
    }

    private final LoopCounters counters;
    private final Clock clock;
    private final Writer writer;
    private int[] marked = new int[256];
    private int markedCount;
    private final DeferredWrites deferred = new DeferredWrites();

    /** Sessions written between two clock reads, which bounds the latency error within a large fan-out. */
    private int clockEvery = 16;

    TurnWrites(LoopCounters counters, Clock clock, Writer writer) {
        this.counters = counters;
        this.clock = clock;
        this.writer = writer;
    }

    void readClockEvery(int sessions) {
        clockEvery = sessions;
    }

    /** Marks the session of this slot to be written in this turn, maybe several times; returns whether it is the first one. */
    boolean mark(int slot) {
        if (markedCount == marked.length) {
            marked = Arrays.copyOf(marked, markedCount * 2);
        }
        marked[markedCount++] = slot;
        return markedCount == 1;
    }

    boolean hasMarked() {
        return markedCount > 0;
    }

    /** Writes to the marked sessions until this time is over, and leaves the others to later turns. */
    void writeMarked(long nowNanos, long writeNanos, long receivedNanos) {
        boolean timed = markedCount > clockEvery && writeNanos != Long.MAX_VALUE;
        long endNanos = timed ? clock.nanos() + writeNanos : 0;
        int next = 0;
        while (next < markedCount) {
            int messages = 0;
            for (int until = Math.min(next + clockEvery, markedCount); next < until; next++) {
                messages += writer.write(marked[next], nowNanos);
            }
            writer.onWritten(messages, receivedNanos);
            if (timed && clock.nanos() - endNanos >= 0) {
                deferFrom(next, receivedNanos);
            }
        }
        markedCount = 0;
    }

    private void deferFrom(int from, long receivedNanos) {
        counters.add(Counter.WRITES_DEFERRED, markedCount - from);
        for (int i = from; i < markedCount; i++) {
            deferred.add(marked[i], receivedNanos);
        }
        markedCount = from;
    }

    // ---- deferred sessions ----

    /** Leaves the session of this slot to a later turn. */
    void defer(int slot, long receivedNanos) {
        deferred.add(slot, receivedNanos);
    }

    /** Returns the number of sessions left to later turns, some of them perhaps several times. */
    int deferred() {
        return deferred.size();
    }

    /** Writes to the deferred sessions, of which there is one at least, until this time is over. */
    void writeDeferred(long nowNanos, long writeNanos) {
        long startNanos = clock.nanos();
        do {
            long receivedNanos = deferred.receivedNanos();
            int messages = 0;
            for (int i = Math.min(clockEvery, deferred.size()); i > 0; i--) {
                messages += writer.write(deferred.poll(), nowNanos);
            }
            writer.onWritten(messages, receivedNanos);
        } while (deferred.size() > 0 && clock.nanos() - startNanos < writeNanos);
    }
}
