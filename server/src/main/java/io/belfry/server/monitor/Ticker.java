package io.belfry.server.monitor;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one task each second on one daemon thread. Owner: the thread that starts and stops the server. */
final class Ticker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Ticker.class);

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("monitor-sampler").daemon().factory());

    @SuppressWarnings("FutureReturnValueIgnored") // it would only report exceptions, and runSafely catches them
    void start(Runnable task) {
        // Fixed delay, not fixed rate: after a pause, missed runs would follow at once, with rates over microseconds.
        thread.scheduleWithFixedDelay(() -> runSafely(task), 1, 1, TimeUnit.SECONDS);
    }

    /** Runs the task and logs an exception. An exception would otherwise cancel all later runs without notice. */
    private static void runSafely(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("monitor sample failed; metrics keep their last values until the next sample", e);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
