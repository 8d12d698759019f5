package io.belfry.bench.run;

import io.belfry.bench.report.Run;
import io.belfry.bench.sample.Kernel;
import io.belfry.bench.sample.Monitor;
import io.belfry.benchkit.process.ServerChild;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The server: a child of ours, or one elsewhere of which only what its monitor tells is known. Owner: the main thread.
 */
final class ServerUnderTest implements AutoCloseable {
    private final @Nullable ServerChild child;
    private final String address;
    private final Optional<Monitor> monitor;

    private ServerUnderTest(@Nullable ServerChild child, String address, Optional<Monitor> monitor) {
        this.child = child;
        this.address = address;
        this.monitor = monitor;
    }

    /** {@code monitor} is {@code host:port}. */
    static ServerUnderTest elsewhere(String address, Optional<String> monitor) {
        return new ServerUnderTest(null, address, monitor.map(at -> new Monitor("http://" + at)));
    }

    /** Starts one and waits until it listens. */
    static ServerUnderTest start(List<String> command, Map<String, String> environment, Path log) {
        ServerChild child = ServerChild.start(command, environment, log);
        return new ServerUnderTest(child, child.address(), Optional.of(new Monitor(child.monitor())));
    }

    /** {@code host:port}. */
    String address() {
        return address;
    }

    Optional<Monitor> monitor() {
        return monitor;
    }

    OptionalLong pid() {
        return child == null ? OptionalLong.empty() : OptionalLong.of(child.pid());
    }

    /** Why nothing more is to be expected of it; null while it runs, as far as one can see from here. */
    @Nullable
    String failure() {
        return child != null && child.hasEnded() ? "the server ended: " + child.lastWord() : null;
    }

    /** The options its JVM was started with. */
    List<String> jvmOptions() {
        return pid().isEmpty()
                ? List.of()
                : Kernel.read("/proc/" + pid().getAsLong() + "/cmdline").stream()
                        .flatMap(line -> Arrays.stream(line.split("\0", -1)))
                        .skip(1)
                        .takeWhile(word -> !word.equals("-cp"))
                        .flatMap(ServerUnderTest::spelledOut)
                        .toList();
    }

    /** The java launcher reads options from a file where a word begins with {@code @}. */
    private static Stream<String> spelledOut(String word) {
        return word.startsWith("@")
                ? Kernel.read(word.substring(1)).stream()
                        .flatMap(String::lines)
                        .map(String::strip)
                        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                : Stream.of(word);
    }

    /**
     * Its memory, the heap after a full collection; empty where it is not ours or its monitor does not answer. Costs a
     * second: the collection is asked for with the JDK's own tool.
     */
    Optional<Run.Memory.Moment> memory() {
        OptionalLong process = pid();
        if (process.isEmpty() || !collectGarbage(process.getAsLong())) {
            return Optional.empty();
        }
        Optional<Kernel.ProcessUse> use = Kernel.process(process.getAsLong());
        OptionalLong kernel = Kernel.tcpBytes();
        return monitor.flatMap(Monitor::stats)
                .flatMap(stats -> use.map(resident -> new Run.Memory.Moment(
                        stats.path("heapBytes").path("used").asLong(), resident.residentBytes(), kernel.orElse(0))));
    }

    private static boolean collectGarbage(long pid) {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        try {
            Process tool = new ProcessBuilder(jcmd, Long.toString(pid), "GC.run")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return tool.waitFor(20, TimeUnit.SECONDS) && tool.exitValue() == 0;
        } catch (IOException e) {
            // A runtime without the tools of a JDK: the memory is then not told.
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        monitor.ifPresent(Monitor::close);
        if (child != null) {
            child.close();
        }
    }
}
