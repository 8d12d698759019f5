package io.belfry.attack.attacks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Limits an attack to a rate. Without a limit the attacker would take all processors of a small machine and delay the
 * regular clients by itself, which proves nothing about the server. Owner: the attacking thread.
 */
final class AttackRate {
    private final long stepNanos;
    private final long endNanos;
    private long nextNanos;
    private int count;

    AttackRate(double perSecond, long endNanos) {
        this.stepNanos = Math.round(TimeUnit.SECONDS.toNanos(1) / perSecond);
        this.endNanos = endNanos;
        this.nextNanos = System.nanoTime();
    }

    /**
     * Waits until the next step is due; returns false when the time is over. The first step is always due, so that an attack whose
     * preparation took longer does something.
     */
    boolean next() {
        long now = System.nanoTime();
        while (now < nextNanos && now < endNanos) {
            LockSupport.parkNanos(Math.min(nextNanos, endNanos) - now);
            now = System.nanoTime();
        }
        if (now >= endNanos && count > 0) {
            return false;
        }
        // A late step does not make later ones faster: missed steps are not made up for.
        nextNanos = Math.max(nextNanos + stepNanos, now);
        count++;
        return true;
    }

    /** Returns the number of steps so far. */
    int count() {
        return count;
    }
}
