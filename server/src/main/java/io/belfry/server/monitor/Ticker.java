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

    @SuppressWarnings("FutureReturnValueIgnored") // it would only tell of exceptions, and runSafely lets none out
    void start(Runnable task) {
        // Not at a fixed rate: after a pause the missed runs would follow at once, with rates over microseconds.
        thread.scheduleWithFixedDelay(() -> runSafely(task), 1, 1, TimeUnit.SECONDS);
    }

    /** A task that throws would never be run again, and the figures would stand still unseen. */
    private static void runSafely(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("The monitor's figures could not be read this time", e);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
