package io.belfry.benchkit.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads figures of the Linux kernel from {@code /proc}; missing figures are null or empty. Pure, but for the files. */
public final class Kernel {
    /** USER_HZ, which is 100 in the interfaces of Linux on every processor. */
    private static final double TICKS_PER_SECOND = 100;

    private static final long PAGE_BYTES = 4096;
    private static final int STATM_RESIDENT_PAGES = 1;
    private static final int SCHEDSTAT_WAIT = 1;
    private static final int MACHINE_IDLE = 4;
    private static final int MACHINE_WAITING = 5;
    private static final int MACHINE_STEAL = 8;
    private static final int TOOL_SECONDS_MAX = 20;

    private Kernel() {}

    /**
     * The use of the machine by a process since its start.
     *
     * @param waitSeconds the time that its present threads could have run, but waited for a processor; null if it is unknown
     */
    public record ProcessUse(
            double cpuSeconds, long residentBytes, @Nullable Double waitSeconds) {}

    /**
     * CPU time of all processors since the boot.
     *
     * @param allSeconds the busy and the idle time
     * @param stolenSeconds the part of the busy time in which the host of this virtual machine ran something else
     */
    public record MachineUse(double allSeconds, double busySeconds, double stolenSeconds) {}

    /** Returns the use of a process, or null if it has ended. */
    public static @Nullable ProcessUse process(long pid) {
        Optional<Duration> cpu =
                ProcessHandle.of(pid).flatMap(handle -> handle.info().totalCpuDuration());
        Optional<String> pages =
                read("/proc/" + pid + "/statm").map(sizes -> sizes.split(" ", -1)[STATM_RESIDENT_PAGES]);
        return cpu.isEmpty() || pages.isEmpty()
                ? null
                : new ProcessUse(cpu.get().toNanos() / 1e9, Long.parseLong(pages.get()) * PAGE_BYTES, waitSeconds(pid));
    }

    private static @Nullable Double waitSeconds(long pid) {
        String[] threads = new File("/proc/" + pid + "/task").list();
        return Stream.of(threads == null ? new String[0] : threads)
                .flatMap(id -> read("/proc/" + pid + "/task/" + id + "/schedstat").stream())
                .map(Kernel::waitSeconds)
                .reduce(Double::sum)
                .orElse(null);
    }

    /** The fields of {@code schedstat} are times in nanoseconds on a processor and waiting for one, and a number of turns. */
    static double waitSeconds(String schedstat) {
        return Long.parseLong(schedstat.split(" ", -1)[SCHEDSTAT_WAIT]) / 1e9;
    }

    /** Returns the use of all processors, or null if the kernel does not report it. */
    public static @Nullable MachineUse machine() {
        return read("/proc/stat").map(Kernel::machine).orElse(null);
    }

    static @Nullable MachineUse machine(String stat) {
        List<String> fields = List.of(stat.lines().findFirst().orElse("").split(" +", -1));
        if (fields.size() <= MACHINE_STEAL) {
            return null;
        }
        double all = 0;
        double busy = 0;
        for (int i = 1; i <= MACHINE_STEAL; i++) {
            double ticks = Double.parseDouble(fields.get(i));
            all += ticks;
            busy += i == MACHINE_IDLE || i == MACHINE_WAITING ? 0 : ticks;
        }
        return new MachineUse(
                all / TICKS_PER_SECOND,
                busy / TICKS_PER_SECOND,
                Double.parseDouble(fields.get(MACHINE_STEAL)) / TICKS_PER_SECOND);
    }

    /** Memory that the kernel holds for the data of all TCP sockets of this machine. */
    public static @Nullable Long tcpBytes() {
        return read("/proc/net/sockstat").map(Kernel::tcpBytes).orElse(null);
    }

    static @Nullable Long tcpBytes(String sockstat) {
        return found(sockstat, "(?m)^TCP:.* mem (\\d+)")
                .map(pages -> Long.parseLong(pages) * PAGE_BYTES)
                .orElse(null);
    }

    /** Maximum number of open files of a child process: the hard limit, because the JVM raises the soft limit to it. */
    public static Optional<Long> openFilesMax() {
        return openFilesMax(read("/proc/self/limits").orElse(""));
    }

    static Optional<Long> openFilesMax(String limits) {
        return found(limits, "(?m)^Max open files\\s+\\S+\\s+(\\d+)").map(Long::valueOf);
    }

    /** Returns the first group of the first match in a text, without surrounding white space. */
    public static Optional<String> found(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        return matcher.find() ? Optional.of(matcher.group(1).strip()) : Optional.empty();
    }

    /** Returns the text of a file without surrounding white space; empty if it cannot be read. */
    public static Optional<String> read(String path) {
        try {
            return Optional.of(Files.readString(Path.of(path)).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Runs a program and returns its output without surrounding white space; empty if it fails or takes too long. */
    public static Optional<String> run(List<String> command) {
        try {
            Process tool = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            CompletableFuture.delayedExecutor(TOOL_SECONDS_MAX, TimeUnit.SECONDS)
                    .execute(tool::destroyForcibly);
            String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return tool.onExit().join().exitValue() == 0 ? Optional.of(output) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
