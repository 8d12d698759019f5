package io.belfry.client.connection;

import io.netty.channel.EventLoop;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Timers by a clock that may skip. Netty wakes the loop when the earliest timer should be due, and the clock decides
 * whether it is. Owner: the loop's thread.
 */
final class LoopTimers {
    private record Timer(long dueNanos, long number, Runnable task) {}

    private final EventLoop loop;
    private final LongSupplier clock;
    private final PriorityQueue<Timer> timers;
    private long added;

    LoopTimers(EventLoop loop, LongSupplier clock) {
        this.loop = loop;
        this.clock = clock;
        long origin = clock.getAsLong();
        this.timers = new PriorityQueue<>(Comparator.<Timer>comparingLong(timer -> timer.dueNanos - origin)
                .thenComparingLong(Timer::number));
    }

    @SuppressWarnings(
            "FutureReturnValueIgnored") // The future is never cancelled; a wake-up without a due timer is harmless.
    void add(long delayNanos, Runnable task) {
        timers.add(new Timer(clock.getAsLong() + delayNanos, ++added, task));
        loop.schedule(this::runDue, delayNanos, TimeUnit.NANOSECONDS);
    }

    /** Runs the timers that are due, in the order of their times. Timers that they add wait for the next call. */
    void runDue() {
        long now = clock.getAsLong();
        long before = added;
        for (Timer next = timers.peek();
                next != null && next.dueNanos - now <= 0 && next.number <= before;
                next = timers.peek()) {
            timers.poll();
            next.task.run();
        }
    }

    /** Returns the time to the next timer in nanoseconds, or -1 if there is none. */
    long nextNanos() {
        Timer next = timers.peek();
        return next == null ? -1 : Math.max(0, next.dueNanos - clock.getAsLong());
    }
}
