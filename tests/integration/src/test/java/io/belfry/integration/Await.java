package io.belfry.integration;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waiting for what another process does: as short as it takes, and never for ever. Pure but for time. */
final class Await {
    static final Duration LONG = Duration.ofSeconds(30);
    private static final long LOOK_NANOS = 10_000_000;

    private Await() {}

    static void until(String what, Callable<Boolean> condition) {
        until(what, LONG, condition);
    }

    static void until(String what, Duration atMost, Callable<Boolean> condition) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!holds(condition)) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not within " + atMost.toMillis() + " ms: " + what);
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
