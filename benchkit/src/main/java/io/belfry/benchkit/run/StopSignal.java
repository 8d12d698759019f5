package io.belfry.benchkit.run;

import io.belfry.settings.ExitCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;

/**
 * Turns Ctrl-C and SIGTERM into a request that the main thread handles: it stops, reports the figures and sets the exit
 * code of the process. Any thread.
 */
public final class StopSignal {
    /** Maximum time for an orderly end; after it the process ends anyway. */
    private static final long END_SECONDS_MAX = 30;

    /** Time between two tests of a condition. */
    public static final Duration POLL = Duration.ofMillis(50);

    private final CountDownLatch requested = new CountDownLatch(1);
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

    /** Runs a program that watches the signal of the JVM's shutdown, and ends the process with its exit code. */
    public static void exitAfter(ToIntFunction<StopSignal> program) {
        StopSignal signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(new Thread(signal::stopAndHalt, "stop"));
        int code = program.applyAsInt(signal);
        signal.exitCode.complete(code);
        System.exit(code);
    }

    /** Halts, because otherwise the process would end with the code of the signal even after a run without faults. */
    private void stopAndHalt() {
        stop();
        exitCode.completeOnTimeout(ExitCode.FAILED, END_SECONDS_MAX, TimeUnit.SECONDS);
        Runtime.getRuntime().halt(exitCode.join());
    }

    /** Requests the stop. */
    public void stop() {
        requested.countDown();
    }

    /** Whether a stop was requested. */
    public boolean isRequested() {
        return requested.getCount() == 0;
    }

    /** Waits up to this time; returns true if a stop was requested. */
    public boolean await(Duration time) {
        try {
            return requested.await(Math.max(0, time.toNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Waits for a condition, also after a stop request; returns false if the condition does not hold in time. */
    public static boolean waitFor(BooleanSupplier condition, Duration most) {
        long end = System.nanoTime() + most.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        return true;
    }
}
