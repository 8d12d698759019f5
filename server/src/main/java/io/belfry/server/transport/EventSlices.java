package io.belfry.server.transport;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.turn.Clock;
import io.belfry.server.turn.Turn;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the time that one turn spends on the events of sockets. Owner: the loop.
 *
 * <p>A poll reports the events of up to 128 sockets. One event can bring hundreds of commands, and the end of one connection can end
 * thousands of subscriptions. When the events of a turn have taken their time, the remaining sockets wait in a queue. The following
 * turns serve the queue in its order, each after a poll, so a socket is served again only after all the others.
 *
 * <p>Connections that clients have reset wait in a queue of their own, because many end together when a network or a proxy fails, and
 * nobody waits for their end: other sockets are served first. They get a part of each turn, which is one socket while polls report
 * little else than resets, so that the other sockets behind them in epoll's list are found soon.
 */
final class EventSlices {
    /** A socket whose events can wait. */
    interface Source {
        void handle(int ready);

        /** Adds these events to those that wait. Some are reported once only, so none is dropped. Returns whether none waited before. */
        boolean leave(int ready);

        /** Removes the events that wait, and returns them. */
        int takeLeft();

        /** Stops the reports of events, which epoll would repeat while a reset connection waits. */
        void stopReports();

        /** Resumes the reports, also of events that were not handled. Without effect on a closed socket. */
        void resumeReports();

        /** Reports that the socket is closed. */
        void reportEnd();
    }

    /** Reset connections in one poll that are closed at once, if none waits. */
    private static final int RESETS_AT_ONCE = 8;

    /** Reset connections in one poll of at most 128 sockets after which the next polls probably report more of them. */
    private static final int MANY_RESETS = 64;

    /** The clock is read when the events since its last reading have cost so much. A unit is about one byte of commands. */
    private static final int COST_BETWEEN_CLOCKS = 4096;

    private static final int COST_OF_EVENT = 256;

    private final EventLoop loop;
    private final Clock clock;
    private final LoopCounters counters;

    /** Sockets whose events wait, in the order in which they began to wait. */
    private final Deque<Source> waiting = new ArrayDeque<>();

    /** Reset connections that are not closed yet. */
    private final Deque<Source> reset = new ArrayDeque<>();

    /** Closed sockets whose ends are not reported yet. */
    private final Deque<Source> ended = new ArrayDeque<>();

    /** Whether a poll has begun since the last event that was handled. */
    private boolean polled;

    /** Whether the event that is handled has brought bytes. */
    private boolean hasRead;

    private int resetsInPoll;
    private boolean serveExpected;
    private boolean reportExpected;
    private long endNanos;
    private int cost;
    private boolean over;

    EventSlices(EventLoop loop, Clock clock, LoopCounters counters) {
        this.loop = loop;
        this.clock = clock;
        this.counters = counters;
    }

    /** Called before each poll; the next event begins a turn. */
    void onPoll() {
        polled = true;
        resetsInPoll = 0;
    }

    /** Returns whether the socket handles these events now; otherwise they are left to a later turn, which calls the socket. */
    boolean admits(Source socket, int ready) {
        if (waiting.isEmpty() && !isOver()) {
            cost += COST_OF_EVENT;
            return true;
        }
        leave(socket, ready, waiting);
        return false;
    }

    /** Does the same as {@link #admits} for a socket whose connection is reset. */
    boolean admitsReset(Source socket, int ready) {
        if (++resetsInPoll <= RESETS_AT_ONCE && reset.isEmpty()) {
            return admits(socket, ready);
        }
        if (leave(socket, ready, reset)) {
            socket.stopReports();
        }
        return false;
    }

    /** Adds the bytes that an event brought to the cost of the turn's events. */
    void onRead(int bytes) {
        cost += bytes;
        hasRead = true;
    }

    private boolean isOver() {
        if (polled) {
            polled = false;
            endNanos = clock.nanos() + Turn.SLICE_NANOS;
            cost = 0;
            over = false;
        } else if (!over && cost >= COST_BETWEEN_CLOCKS) {
            cost = 0;
            over = clock.nanos() - endNanos >= 0;
        }
        return over;
    }

    /** Adds the events to those that wait; returns whether the socket did not wait before. */
    private boolean leave(Source socket, int ready, Deque<Source> queue) {
        boolean first = socket.leave(ready);
        if (first) {
            counters.increment(Counter.SOCKET_EVENTS_DEFERRED);
            queue.add(socket);
            expectServe();
        }
        return first;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The loop logs its exceptions.
    private void expectServe() {
        if (!serveExpected) {
            serveExpected = true;
            loop.schedule(this::serve, 0, TimeUnit.NANOSECONDS);
        }
    }

    private void serve() {
        serveExpected = false;
        // A task that is scheduled while events are handled runs before the next poll, when the turn's time is over.
        while (!waiting.isEmpty() && !isOver()) {
            cost += COST_OF_EVENT;
            Source socket = waiting.remove();
            socket.handle(socket.takeLeft());
        }
        if (!reset.isEmpty()) {
            closeReset();
        }
        if (!waiting.isEmpty() || !reset.isEmpty()) {
            expectServe();
        }
    }

    /** Serves reset connections: one at least, so that they also end on a loop that is always busy. */
    private void closeReset() {
        long untilNanos = clock.nanos() + (resetsInPoll < MANY_RESETS ? Turn.LEAST_NANOS : 0);
        do {
            Source socket = reset.remove();
            int ready = socket.takeLeft();
            hasRead = false;
            socket.handle(ready);
            if (hasRead) {
                // The end follows what the client sent before. epoll would not report it to a paused socket.
                leave(socket, ready, reset);
            } else {
                // Usually closed, or else the event was that of an earlier socket with the same descriptor number.
                socket.resumeReports();
            }
        } while (!reset.isEmpty() && clock.nanos() - untilNanos < 0);
    }

    // ---- ends of connections ----

    /** Reports the end of a closed socket, in a task of its own or in one with other ends. */
    void onClosed(Source socket) {
        if (!reportExpected) {
            loop.execute(this::reportEnds);
            reportExpected = true;
        }
        ended.add(socket);
    }

    private void reportEnds() {
        reportExpected = false;
        long untilNanos = Math.max(endNanos, clock.nanos() + Turn.LEAST_NANOS);
        for (Source next = ended.poll(); next != null; next = ended.poll()) {
            next.reportEnd();
            if (clock.nanos() - untilNanos >= 0 && !ended.isEmpty() && !loop.isShuttingDown()) {
                reportInNextTurn();
                return;
            }
        }
    }

    private void reportInNextTurn() {
        reportExpected = true;
        loop.schedule(this::reportEnds, 0, TimeUnit.NANOSECONDS).addListener(task -> {
            if (task.isCancelled()) {
                // The loop ends, and runs no scheduled task any more.
                reportEnds();
            }
        });
    }
}
