package io.belfry.plan.model;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The resources of the machine that this program runs on, as far as the system reports them. Pure but for reading. */
final class LocalMachine {
    private static final double MEGABIT = 1e6;
    private static final double UNKNOWN_BITS_PER_SECOND = 1e9;

    private LocalMachine() {}

    static double cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Returns the memory of the system, not of this JVM. */
    static double memoryBytes() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    }

    /** Returns the speed of the fastest network card, 1 Gbit/s if none reports it: most virtual cards do not. */
    static double bitsPerSecond() {
        try (Stream<Path> cards = Files.list(Path.of("/sys/class/net"))) {
            double most = cards.mapToDouble(LocalMachine::megabits).max().orElse(0) * MEGABIT;
            return most > 0 ? most : UNKNOWN_BITS_PER_SECOND;
        } catch (IOException unknown) {
            return UNKNOWN_BITS_PER_SECOND;
        }
    }

    private static double megabits(Path card) {
        try {
            return Double.parseDouble(Files.readString(card.resolve("speed")).strip());
        } catch (IOException | NumberFormatException unknown) {
            return 0;
        }
    }
}
