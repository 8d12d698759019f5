package io.belfry.benchkit.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tells processes of one machine from those of another. Pure, but for the file it reads. */
public final class Machine {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int NUMBER_MAX = (1 << 30) - 1;

    private Machine() {}

    /** A number that all processes of this machine get until it is started again; 0 where that cannot be known. */
    public static int number() {
        try {
            return Math.max(1, Files.readString(BOOT_ID).strip().hashCode() & NUMBER_MAX);
        } catch (IOException e) {
            return 0;
        }
    }
}
