package io.belfry.client.connection;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The monotonic clock plus an offset that a test may raise, as if the device had slept. A {@link ClientLoop} with this
 * clock also runs its timers by it; call {@link ClientLoop#runDueTimers} after a skip. Any thread.
 */
public final class SkippingClock implements LongSupplier {
    private final AtomicLong offsetNanos = new AtomicLong();

    /** Moves the clock forward. */
    public void skip(Duration time) {
        offsetNanos.addAndGet(time.toNanos());
    }

    @Override
    public long getAsLong() {
        return System.nanoTime() + offsetNanos.get();
    }
}
