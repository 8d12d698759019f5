package io.belfry.server.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs exceptions that end a thread. Immutable; called on the thread that ends. */
public final class UncaughtExceptions implements Thread.UncaughtExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(UncaughtExceptions.class);

    private UncaughtExceptions() {}

    /** Logs the uncaught exceptions of all threads of this process, which the JVM would print on standard error only. */
    public static void log() {
        Thread.setDefaultUncaughtExceptionHandler(new UncaughtExceptions());
    }

    @Override
    public void uncaughtException(Thread thread, Throwable exception) {
        LOG.error(
                "uncaught exception: thread=\"{}\"; the thread has ended, report this as a bug",
                thread.getName(),
                exception);
    }
}
