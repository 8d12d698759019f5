package io.belfry.server.workgroup;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The two clocks: one to measure with, one to say what time it is. */
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

    /** Milliseconds since 1970. */
    long millis();

    /** Microseconds since 1970. */
    long micros();
}
