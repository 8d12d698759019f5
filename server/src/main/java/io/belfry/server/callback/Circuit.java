package io.belfry.server.callback;

/**
 * Tracks whether a receiver answers. After a number of failures in sequence it is not asked for a pause; then one request tests
 * it. Any thread.
 */
public final class Circuit {
    private static final int FAILURES_MAX = 5;

    private final long pauseNanos;

    /** Guarded by this object, as are the following fields. */
    private int failures;

    private long openUntilNanos;

    public Circuit(long pauseNanos) {
        this.pauseNanos = pauseNanos;
    }

    /** Takes the permission to send a request now; see {@link #take(long)}. */
    public boolean take() {
        return take(System.nanoTime());
    }

    /** Records a failure now; returns whether it begins a pause. */
    public boolean onFailure() {
        return onFailure(System.nanoTime());
    }

    /** Takes the permission to send a request; returns false during a pause. The first caller after a pause tests the receiver. */
    synchronized boolean take(long nowNanos) {
        if (failures < FAILURES_MAX) {
            return true;
        }
        if (openUntilNanos - nowNanos > 0) {
            return false;
        }
        // The others wait for the result of this request.
        openUntilNanos = nowNanos + pauseNanos;
        return true;
    }

    public synchronized void onAnswer() {
        failures = 0;
    }

    synchronized boolean onFailure(long nowNanos) {
        if (failures < FAILURES_MAX) {
            failures++;
        }
        boolean opens = failures == FAILURES_MAX;
        if (opens) {
            openUntilNanos = nowNanos + pauseNanos;
        }
        return opens;
    }
}
