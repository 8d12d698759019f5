package io.belfry.benchkit.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A clock of nanoseconds since 1970 that a publisher's and a subscriber's process can compare. Immutable.
 *
 * <p>The time is {@link System#nanoTime} plus the offset of the wall clock, which is read once, when the process starts. On
 * Linux all processes of a machine read the same monotonic clock, and NTP slews it together with the wall clock, so their
 * offsets agree within a microsecond unless the wall clock was set between their starts. The time never jumps within a
 * run. Two machines differ by the difference of their wall clocks.
 *
 * @param machine the same number for all processes of a machine until its next boot; 0 if unknown
 */
public record SharedClock(LongSupplier nanos, int machine) {
    private static final int TRIES = 32;
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int MACHINE_MAX = (1 << 30) - 1;

    /** Starts the clock of this process on this machine. */
    public static SharedClock start() {
        long offsetNanos = offsetNanos();
        return new SharedClock(() -> System.nanoTime() + offsetNanos, localMachine());
    }

    /** Reads both clocks several times and keeps the reading with the shortest interval of the monotonic clock. */
    private static long offsetNanos() {
        long tightest = Long.MAX_VALUE;
        long offset = 0;
        for (int i = 0; i < TRIES; i++) {
            long before = System.nanoTime();
            long wall = wallNanos();
            long after = System.nanoTime();
            if (after - before < tightest) {
                tightest = after - before;
                offset = wall - (before + (after - before) / 2);
            }
        }
        return offset;
    }

    private static long wallNanos() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    private static int localMachine() {
        try {
            return Math.max(1, Files.readString(BOOT_ID).strip().hashCode() & MACHINE_MAX);
        } catch (IOException e) {
            return 0;
        }
    }
}
