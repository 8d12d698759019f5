package io.belfry.server.console;

import io.belfry.server.turn.Loop;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** An event loop without sockets, on a thread of its own, that measures the processor time of each task. Any
 * thread. */
final class TimedLoop implements Loop, AutoCloseable {
    /** Processor time, because other tests use the processors too. */
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final ConcurrentLinkedQueue<Long> nanos = new ConcurrentLinkedQueue<>();
    private volatile Thread current = Thread.currentThread();

    TimedLoop() {
        thread.execute(() -> current = Thread.currentThread());
    }

    /** Returns the processor time of the tasks so far in nanoseconds, sorted, and forgets it. */
    long[] takeDurations() {
        long[] taken = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        nanos.clear();
        return taken;
    }

    @Override
    public boolean inLoop() {
        return Thread.currentThread().equals(current);
    }

    @Override
    public void execute(Runnable task) {
        thread.execute(() -> {
            long from = THREADS.getCurrentThreadCpuTime();
            task.run();
            nanos.add(THREADS.getCurrentThreadCpuTime() - from);
        });
    }

    @Override
    public void nextTurn(Runnable task) {
        execute(task);
    }

    @Override
    public void after(long delay, Runnable task) {
        execute(task);
    }

    @Override
    public void every(long millis, Runnable task) {
        // The lane's periodic work is not part of what is measured.
    }

    /** Waits for the running tasks. */
    @Override
    public void close() {
        thread.close();
    }
}
