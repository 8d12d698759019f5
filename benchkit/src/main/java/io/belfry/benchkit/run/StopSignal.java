package io.belfry.benchkit.run;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM as a wish that the main thread fulfils: it stops, tells what was measured and says with which code
 * the process is to end. Any thread.
 */
public final class StopSignal {
    /** Longer than any orderly end takes; then the process ends without. */
    private static final long PATIENCE_SECONDS = 30;

    private final CountDownLatch wished = new CountDownLatch(1);
    private final CountDownLatch fulfilled = new CountDownLatch(1);
    private volatile int exitCode = ExitCode.FAILED;

    /** Listens to the JVM's signals from now on. */
    public static StopSignal ofProcess() {
        StopSignal signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(new Thread(signal::stopAndHalt, "stop"));
        return signal;
    }

    /** Without halt the process would end with the signal's code, as if the run had failed. */
    private void stopAndHalt() {
        stop();
        try {
            fulfilled.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(exitCode);
    }

    /** The wish itself. */
    public void stop() {
        wished.countDown();
    }

    public boolean isWished() {
        return wished.getCount() == 0;
    }

    /** Waits so long at most; true if the run is to stop. */
    public boolean await(Duration time) {
        try {
            return wished.await(Math.max(0, time.toNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Everything is told; the process may end with this code. */
    public void fulfilled(int code) {
        exitCode = code;
        fulfilled.countDown();
    }
}
