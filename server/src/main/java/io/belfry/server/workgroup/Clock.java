package io.belfry.server.workgroup;

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
    };

    long nanos();

    /** Milliseconds since 1970. */
    long millis();
}
