package io.belfry.integration;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions that another process fulfils. A wait ends as soon as possible and has a timeout. No state. */
public final class Await {
    public static final Duration LONG = Duration.ofSeconds(30);
    private static final long LOOK_NANOS = 10_000_000;

    private Await() {}

    public static void until(String what, Callable<Boolean> condition) {
        until(what, LONG, condition);
    }

    public static void until(String what, Duration atMost, Callable<Boolean> condition) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!holds(condition)) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("timeout after " + atMost.toMillis() + " ms, waiting for: " + what);
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static boolean holds(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
