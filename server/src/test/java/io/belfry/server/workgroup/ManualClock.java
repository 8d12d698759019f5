package io.belfry.server.workgroup;

import io.belfry.server.turn.Clock;

/** A clock that the test advances. Owner: the test's thread. */
final class ManualClock implements Clock {
    private long nanos = 1_000_000_000L;
    private long millis = 1_700_000_000_000L;
    private long nanosPerRead;

    @Override
    public long nanos() {
        nanos += nanosPerRead;
        return nanos;
    }

    /** Lets each read of the monotonic clock take this time. */
    void passPerRead(long time) {
        nanosPerRead = time;
    }

    @Override
    public long millis() {
        return millis;
    }

    @Override
    public long micros() {
        return millis * 1000;
    }

    void pass(long time) {
        nanos += time * 1_000_000;
        millis += time;
    }
}
