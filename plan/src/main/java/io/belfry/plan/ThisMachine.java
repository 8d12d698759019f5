package io.belfry.plan;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;

/** What the machine has that this runs on, as far as it tells. */
final class ThisMachine {
    private static final double MEGABIT = 1e6;
    private static final long KILOBYTE = 1024;

    private ThisMachine() {}

    static int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Of the system, not of this JVM; where the system does not say, 8 GB. */
    static long memoryBytes() {
        try {
            return Files.readAllLines(Path.of("/proc/meminfo")).stream()
                    .filter(line -> line.startsWith("MemTotal:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KILOBYTE)
                    .findFirst()
                    .orElse(8L << 30);
        } catch (IOException | NumberFormatException unknown) {
            return 8L << 30;
        }
    }

    /** Of the fastest card that says how fast it is; virtual ones mostly do not. */
    static OptionalDouble bitsPerSecond() {
        double most = 0;
        try (DirectoryStream<Path> cards = Files.newDirectoryStream(Path.of("/sys/class/net"))) {
            for (Path card : cards) {
                most = Math.max(most, speed(card));
            }
        } catch (IOException unknown) {
            return OptionalDouble.empty();
        }
        return most > 0 ? OptionalDouble.of(most * MEGABIT) : OptionalDouble.empty();
    }

    private static double speed(Path card) {
        try {
            return Double.parseDouble(Files.readString(card.resolve("speed")).strip());
        } catch (IOException | NumberFormatException unknown) {
            return 0;
        }
    }
}
