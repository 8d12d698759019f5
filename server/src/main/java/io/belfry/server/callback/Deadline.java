package io.belfry.server.callback;

import java.util.concurrent.TimeUnit;

/** The end of a time limit on the monotonic clock. Immutable. */
public record Deadline(long atNanos) {
    public static Deadline in(long millis) {
        return new Deadline(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Returns the remaining milliseconds, 0 or less after the deadline. */
    public long leftMillis() {
        return TimeUnit.NANOSECONDS.toMillis(atNanos - System.nanoTime());
    }
}
