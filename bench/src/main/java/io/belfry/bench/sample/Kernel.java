package io.belfry.bench.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the Linux kernel tells in {@code /proc}; empty where it does not. Pure, but for what it reads.
 */
public final class Kernel {
    /** USER_HZ, which is 100 in what Linux shows to programs on every processor it runs on. */
    private static final double TICKS_PER_SECOND = 100;

    private static final long PAGE_BYTES = 4096;
    private static final int AFTER_NAME_USER_TICKS = 11;
    private static final int AFTER_NAME_SYSTEM_TICKS = 12;
    private static final int AFTER_NAME_RESIDENT_PAGES = 21;
    private static final int MACHINE_IDLE = 4;
    private static final int MACHINE_WAITING = 5;
    private static final int MACHINE_STEAL = 8;
    private static final Pattern TCP_PAGES = Pattern.compile("(?m)^TCP:.* mem (\\d+)");
    private static final Pattern OPEN_FILES = Pattern.compile("(?m)^Max open files\\s+\\S+\\s+(\\d+)");

    private Kernel() {}

    /** CPU a process used so far, in seconds, and what it has resident. */
    public record ProcessUse(double cpuSeconds, long residentBytes) {}

    public static Optional<ProcessUse> process(long pid) {
        return read("/proc/" + pid + "/stat").flatMap(Kernel::processUse);
    }

    static Optional<ProcessUse> processUse(String stat) {
        // The name stands in brackets and may hold anything, brackets too.
        int nameEnd = stat.lastIndexOf(')');
        if (nameEnd < 0) {
            return Optional.empty();
        }
        List<String> fields = List.of(stat.substring(nameEnd + 1).strip().split(" +", -1));
        double ticks = Double.parseDouble(fields.get(AFTER_NAME_USER_TICKS))
                + Double.parseDouble(fields.get(AFTER_NAME_SYSTEM_TICKS));
        return Optional.of(new ProcessUse(
                ticks / TICKS_PER_SECOND, Long.parseLong(fields.get(AFTER_NAME_RESIDENT_PAGES)) * PAGE_BYTES));
    }

    /** CPU seconds all processors together were busy since the boot, with what the host took away. */
    public static OptionalDouble machineBusySeconds() {
        return read("/proc/stat").map(Kernel::machineBusySeconds).orElse(OptionalDouble.empty());
    }

    static OptionalDouble machineBusySeconds(String stat) {
        List<String> fields = List.of(stat.lines().findFirst().orElse("").split(" +", -1));
        double ticks = 0;
        for (int i = 1; i < Math.min(fields.size(), MACHINE_STEAL + 1); i++) {
            if (i != MACHINE_IDLE && i != MACHINE_WAITING) {
                ticks += Double.parseDouble(fields.get(i));
            }
        }
        return fields.size() > MACHINE_WAITING ? OptionalDouble.of(ticks / TICKS_PER_SECOND) : OptionalDouble.empty();
    }

    /** Pages the kernel holds for the data of all TCP sockets of this machine. */
    public static OptionalLong tcpBytes() {
        return read("/proc/net/sockstat").map(Kernel::tcpBytes).orElse(OptionalLong.empty());
    }

    static OptionalLong tcpBytes(String sockstat) {
        Matcher matcher = TCP_PAGES.matcher(sockstat);
        return matcher.find() ? OptionalLong.of(Long.parseLong(matcher.group(1)) * PAGE_BYTES) : OptionalLong.empty();
    }

    /** How many files a process started from here may open; the JVM raises the soft limit to the hard one by itself. */
    public static OptionalLong openFilesMax() {
        return read("/proc/self/limits").map(Kernel::openFilesMax).orElse(OptionalLong.empty());
    }

    static OptionalLong openFilesMax(String limits) {
        Matcher matcher = OPEN_FILES.matcher(limits);
        return matcher.find() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
    }

    /** The text of a file of the kernel, without the white space around it. */
    public static Optional<String> read(String path) {
        try {
            return Optional.of(Files.readString(Path.of(path)).strip());
        } catch (IOException e) {
            // Gone with its process, or not Linux: in both cases there is nothing to tell.
            return Optional.empty();
        }
    }
}
