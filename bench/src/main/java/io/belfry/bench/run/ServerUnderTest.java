package io.belfry.bench.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.bench.report.Run;
import io.belfry.bench.sample.SnapshotRecorder;
import io.belfry.benchkit.process.Child;
import io.belfry.benchkit.process.Kernel;
import io.belfry.benchkit.process.MonitorClient;
import io.belfry.benchkit.process.ServerChild;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The server: a child process, or a server elsewhere of which only the monitor is known. Owner: the main thread.
 *
 * @param address {@code host:port}
 * @param recorder observes the server and the generators
 */
record ServerUnderTest(
        @Nullable Child child, String address, @Nullable MonitorClient monitor, SnapshotRecorder recorder)
        implements AutoCloseable {
    /** The monitor is read every second. */
    private static final Duration MONITOR_TIMEOUT = Duration.ofSeconds(2);

    private static final int MEMORY_ATTEMPTS = 3;

    /** A server that runs elsewhere; {@code monitor} is {@code host:port}. */
    static ServerUnderTest elsewhere(String address, Optional<String> monitor) {
        MonitorClient client = monitor.map(at -> new MonitorClient("http://" + at, MONITOR_TIMEOUT))
                .orElse(null);
        return new ServerUnderTest(null, address, client, new SnapshotRecorder(OptionalLong.empty(), client));
    }

    /** Starts a server and waits until it listens. */
    static ServerUnderTest start(List<String> command, Map<String, String> environment, Path log) {
        ServerChild started = ServerChild.start(command, environment, log);
        MonitorClient monitor = new MonitorClient(started.monitor(), MONITOR_TIMEOUT);
        SnapshotRecorder recorder =
                new SnapshotRecorder(OptionalLong.of(started.process().pid()), monitor);
        return new ServerUnderTest(started.process(), started.address(), monitor, recorder);
    }

    OptionalLong pid() {
        return child == null ? OptionalLong.empty() : OptionalLong.of(child.pid());
    }

    /** The reason why the server has ended; null while it runs, and always for a server elsewhere. */
    @Nullable
    String failure() {
        return child != null && child.hasEnded() ? "the server ended: " + child.lastLine() : null;
    }

    /** The options of its JVM. */
    List<String> jvmOptions() {
        return child == null
                ? List.of()
                : Kernel.read("/proc/" + child.pid() + "/cmdline").stream()
                        .flatMap(line -> Arrays.stream(line.split("\0", -1)))
                        .skip(1)
                        .takeWhile(word -> !word.equals("-cp"))
                        .flatMap(ServerUnderTest::expanded)
                        .toList();
    }

    /** The java launcher reads options from a file if an argument begins with {@code @}. */
    private static Stream<String> expanded(String word) {
        return word.startsWith("@")
                ? Kernel.read(word.substring(1)).stream()
                        .flatMap(String::lines)
                        .map(String::strip)
                        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                : Stream.of(word);
    }

    /**
     * Its memory, with the heap after a full collection, which takes a second; null if it is unknown. On a busy machine jcmd or the
     * monitor may not answer in time, and no later reading could replace this one.
     */
    Run.Memory.@Nullable Moment memory() {
        Run.Memory.Moment memory = null;
        for (int i = 0; memory == null && i < MEMORY_ATTEMPTS; i++) {
            memory = readMemory();
        }
        return memory;
    }

    private Run.Memory.@Nullable Moment readMemory() {
        if (child == null || monitor == null || !collectGarbage(child.pid())) {
            return null;
        }
        Kernel.ProcessUse use = Kernel.process(child.pid());
        JsonNode stats = monitor.stats();
        long kernel = Objects.requireNonNullElse(Kernel.tcpBytes(), 0L);
        return use == null || stats == null
                ? null
                : new Run.Memory.Moment(stats.path("heapBytes").path("used").asLong(), use.residentBytes(), kernel);
    }

    /** Uses jcmd; returns false if the Java runtime has no tools of a JDK. */
    private static boolean collectGarbage(long pid) {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        return Kernel.run(List.of(jcmd, Long.toString(pid), "GC.run")).isPresent();
    }

    @Override
    public void close() {
        recorder.close();
        if (monitor != null) {
            monitor.close();
        }
        if (child != null) {
            child.close();
        }
    }
}
