package io.belfry.attack.attacks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps an attack to a rate: an attacker that took all of a small machine's processors would starve the witness by itself,
 * and prove nothing. Owner: the attacking thread.
 */
public final class Pace {
    private final long stepNanos;
    private final long endNanos;
    private long nextNanos;
    private int count;

    Pace(double perSecond, long endNanos) {
        this.stepNanos = Math.round(TimeUnit.SECONDS.toNanos(1) / perSecond);
        this.endNanos = endNanos;
        this.nextNanos = System.nanoTime();
    }

    /** Waits for the next turn; false when the time is over. */
    public boolean next() {
        long now = System.nanoTime();
        while (now < nextNanos && now < endNanos) {
            LockSupport.parkNanos(Math.min(nextNanos, endNanos) - now);
            now = System.nanoTime();
        }
        if (now >= endNanos) {
            return false;
        }
        // Behind its time it goes on from now: it never makes up for what it missed.
        nextNanos = Math.max(nextNanos + stepNanos, now);
        count++;
        return true;
    }

    /** How many turns there were. */
    public int count() {
        return count;
    }
}
