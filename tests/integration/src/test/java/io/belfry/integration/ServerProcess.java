package io.belfry.integration;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server in its own process, which a test can kill, suspend and measure. Closing fails the test if the server logged
 * an error, a leaked buffer or an uncaught exception; {@link #expectErrors} allows only errors.
 */
final class ServerProcess extends TestServer {
    private static final long ANSWER_SECONDS = 60;

    private final Process process;
    private final Writer commands;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();
    private final List<Integer> ports = new ArrayList<>();
    private final Thread reader;
    private int monitorHttpPort;
    private int jmxPort;
    private boolean errorsExpected;

    private ServerProcess(List<String> command) throws IOException {
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        commands = process.outputWriter(StandardCharsets.UTF_8);
        reader = Thread.ofPlatform().daemon().start(this::readOutput);
    }

    /** Starts a server with these settings, each {@code Key=value}, and with detection of leaked buffers. */
    static ServerProcess startWatched(String... sets) {
        // No test measures the pauses of these servers, and the serial collector costs less than that of production.
        return start(List.of(), "simple", List.of("-XX:+UseSerialGC"), sets);
    }

    /** Starts a server with the speed of production. */
    static ServerProcess startUnwatched(String... sets) {
        return startWith(List.of(), sets);
    }

    /** Starts as {@link #startUnwatched} with a small, fully resident heap: any growth is then outside the heap. */
    static ServerProcess startInHeap(String heap, String... sets) {
        // The small heap must not reduce the limit of memory outside the heap.
        String outside = "-XX:MaxDirectMemorySize=512m";
        return start(
                List.of(), "disabled", List.of("-Xms" + heap, "-Xmx" + heap, outside, "-XX:+AlwaysPreTouch"), sets);
    }

    /** Starts as {@link #startUnwatched} with options of the JVM. */
    static ServerProcess startWith(List<String> options, String... sets) {
        return start(List.of(), "disabled", options, sets);
    }

    /** Starts a server that cannot write a file larger than this. */
    static ServerProcess startWithFileLimit(int kilobytes, String... sets) {
        // A block is 512 bytes to POSIX and 1,024 to bash; both values suit the tests.
        return start(List.of("sh", "-c", "ulimit -f " + kilobytes + "; exec \"$@\"", "sh"), "simple", List.of(), sets);
    }

    private static ServerProcess start(List<String> under, String leakDetection, List<String> options, String... sets) {
        try {
            Path state = Files.createTempDirectory(TestMachine.target(), "server");
            List<String> command = new ArrayList<>(under);
            command.addAll(ServerArchive.java());
            // Most of these servers live for seconds, so the second compiler would cost more than it saves.
            command.addAll(List.of("-ea", "-Xmx512m", "-XX:TieredStopAtLevel=1"));
            command.add("-Dio.netty.leakDetection.level=" + leakDetection);
            // Netty samples every buffer but records no access, because each byte of JSON would add a stack trace.
            command.add("-Dio.netty.leakDetection.samplingInterval=1");
            command.addAll(options);
            command.add(ServerMain.class.getName());
            command.addAll(DEFAULTS);
            command.add("LogFolder=" + state);
            command.addAll(List.of(sets));
            ServerProcess started = new ServerProcess(command);
            try {
                started.readPorts();
            } catch (AssertionError didNotStart) {
                // A failed start may leave threads, and no other code has a reference to the process.
                started.kill();
                throw didNotStart;
            }
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readOutput() {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith(ServerMain.ANSWER)) {
                    answers.add(line.substring(ServerMain.ANSWER.length()));
                } else {
                    log.add(line);
                }
            }
        } catch (IOException e) {
            log.add("the output ended: " + e);
        }
        answers.add("ended");
    }

    private void readPorts() {
        String line = answer();
        String[] words = line.split(" ", -1);
        if (words.length < 5) {
            throw new AssertionError("the server did not start: " + line + "\n" + logText());
        }
        for (int i = 0; i < words.length - 4; i++) {
            ports.add(Integer.valueOf(words[i]));
        }
        monitorHttpPort = Integer.parseInt(words[words.length - 3]);
        jmxPort = Integer.parseInt(words[words.length - 1]);
    }

    private String answer() {
        try {
            @Nullable String line = answers.poll(ANSWER_SECONDS, TimeUnit.SECONDS);
            if (line == null) {
                throw new AssertionError("the server did not answer; its log:\n" + logText());
            }
            return line;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    List<Integer> ports() {
        return List.copyOf(ports);
    }

    @Override
    public int monitorHttpPort() {
        return monitorHttpPort;
    }

    @Override
    int jmxPort() {
        return jmxPort;
    }

    @Override
    void drain(long overMillis) {
        command("drain " + overMillis);
    }

    @Override
    void reload(String set) {
        command(set);
    }

    private void command(String line) {
        try {
            commands.write(line + "\n");
            commands.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(logText(), e);
        }
        answer();
    }

    /** Returns the resident memory of the process. Linux only. */
    long residentBytes() {
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the CPU time that the process has used. */
    Duration cpuTime() {
        return process.info().totalCpuDuration().orElseThrow();
    }

    /** Kills the process as a power failure would; returns when the process has ended. */
    void kill() {
        errorsExpected = true;
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Suspends or resumes the process. */
    void hold(boolean held) {
        TestMachine.signal(held ? "STOP" : "CONT", process.pid());
    }

    @Override
    void expectErrors() {
        errorsExpected = true;
    }

    @Override
    String logText() {
        return String.join("\n", log);
    }

    @Override
    public void close() {
        try {
            commands.close();
            if (!process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the server did not stop; its log:\n" + logText());
            }
            reader.join(TimeUnit.SECONDS.toMillis(ANSWER_SECONDS));
        } catch (IOException e) {
            log.add("its input was closed already: " + e.getMessage());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            process.destroyForcibly();
        }
        requireCleanLog();
    }

    private void requireCleanLog() {
        boolean clean = log.stream().noneMatch(line -> line.contains(" ERROR "));
        boolean asExpected = errorsExpected || (clean && process.exitValue() == 0);
        if (!asExpected || log.stream().anyMatch(ServerProcess::isFault)) {
            throw new AssertionError("exit code " + process.exitValue() + ", the server's log:\n" + logText());
        }
    }

    /** Returns whether the line reports a leaked buffer or an exception that ended a thread or a task: no test expects these. */
    static boolean isFault(String line) {
        return line.contains("LEAK:")
                || line.contains("uncaught exception:")
                || line.contains("A task raised an exception")
                || line.startsWith("Exception in thread \"");
    }
}
