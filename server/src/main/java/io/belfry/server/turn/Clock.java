package io.belfry.server.turn;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The two clocks: a monotonic one for measuring, and the time of day. */
public interface Clock {
    Clock SYSTEM = new Clock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long millis() {
            return System.currentTimeMillis();
        }

        @Override
        public long micros() {
            return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        }
    };

    long nanos();

    /** Returns milliseconds since 1970. */
    long millis();

    /** Returns microseconds since 1970. */
    long micros();
}
