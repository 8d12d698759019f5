package io.belfry.integration;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Waits for conditions that another process fulfils. A wait ends as soon as possible and has a timeout. No state. */
public final class Await {
    /** Longer than any condition takes on a machine whose processors many programs share; only a failing test waits that long. */
    public static final Duration LONG = Duration.ofSeconds(60);

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

    /**
     * Waits for a condition as long as the remaining work changes, and fails if it did not change for {@link #LONG}. On a busy
     * machine the work may take longer, but it does not stand still. {@code what} describes the state at the failure.
     */
    public static void untilDone(Supplier<String> what, Callable<Boolean> condition, LongSupplier left) {
        long last = -1;
        long deadline = 0;
        while (!holds(condition)) {
            long now = left.getAsLong();
            if (now != last) {
                last = now;
                deadline = System.nanoTime() + LONG.toNanos();
            } else if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        "no progress for " + LONG.toMillis() + " ms, " + last + " left, waiting for: " + what.get());
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
