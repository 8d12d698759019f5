package io.belfry.integration;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server in a process of its own, on free ports of loopback. Owner: the test that started it and closes it; closing
 * fails the test if the server logged an error or a leaked buffer.
 */
final class ServerProcess implements AutoCloseable {
    private static final long ANSWER_SECONDS = 60;
    private static final List<String> DEFAULTS =
            List.of("Listen=127.0.0.1:0", "Monitor=none", "Workgroups=2", "IoThreads=2", "Stats.LogInterval=0");

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

    /** Starts one with these settings over the defaults, each {@code Key=value}; its buffers are watched for leaks. */
    static ServerProcess start(String... sets) {
        // Nobody looks at its pauses, and it costs less than the collector of production.
        return start(List.of(), "simple", List.of("-XX:+UseSerialGC"), sets);
    }

    /** Starts one at the speed it has in production. */
    static ServerProcess startUnwatched(String... sets) {
        return startWith(List.of(), sets);
    }

    /** As {@link #startUnwatched}, with all of so small a heap resident at once: what comes to it is held outside. */
    static ServerProcess startInHeap(String heap, String... sets) {
        // What is outside is not to be refused for a heap so small.
        String outside = "-XX:MaxDirectMemorySize=512m";
        return start(
                List.of(), "disabled", List.of("-Xms" + heap, "-Xmx" + heap, outside, "-XX:+AlwaysPreTouch"), sets);
    }

    /** As {@link #startUnwatched}, with options of the JVM. */
    static ServerProcess startWith(List<String> options, String... sets) {
        return start(List.of(), "disabled", options, sets);
    }

    /** Starts one that can write no file larger than this. */
    static ServerProcess startWithFileLimit(int kilobytes, String... sets) {
        // A block is 512 bytes to POSIX and 1,024 to bash, and either will do.
        return start(List.of("sh", "-c", "ulimit -f " + kilobytes + "; exec \"$@\"", "sh"), "simple", List.of(), sets);
    }

    private static ServerProcess start(List<String> under, String leakDetection, List<String> options, String... sets) {
        try {
            Path state = Files.createTempDirectory(Machine.target(), "server");
            List<String> command = new ArrayList<>(under);
            command.addAll(ServedArchive.java());
            // Most of these servers live for seconds: the second compiler would cost more than it gives.
            command.addAll(List.of("-ea", "-Xmx512m", "-XX:TieredStopAtLevel=1"));
            command.add("-Dio.netty.leakDetection.level=" + leakDetection);
            // Every buffer, but not where it was touched: that would make each byte of JSON a stack trace.
            command.add("-Dio.netty.leakDetection.samplingInterval=1");
            command.addAll(options);
            command.add(ServedHere.class.getName());
            command.addAll(DEFAULTS);
            command.add("LogFolder=" + state);
            command.addAll(List.of(sets));
            ServerProcess started = new ServerProcess(command);
            try {
                started.readPorts();
            } catch (AssertionError didNotStart) {
                // Some of its threads may go on, and nobody else knows of it.
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
                if (line.startsWith(ServedHere.ANSWER)) {
                    answers.add(line.substring(ServedHere.ANSWER.length()));
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

    int port() {
        return ports.getFirst();
    }

    /** Where it listens with TLS, if it was told to. */
    int encryptedPort() {
        return ports.getLast();
    }

    List<Integer> ports() {
        return List.copyOf(ports);
    }

    int monitorHttpPort() {
        return monitorHttpPort;
    }

    int jmxPort() {
        return jmxPort;
    }

    /** What its monitor tells over HTTP, where that is open to everybody. */
    JsonNode stats() {
        try (Http http = Http.to(monitorHttpPort)) {
            return http.get("/stats", "Connection: close").json();
        }
    }

    /** Asks every session to reconnect elsewhere within this time; returns when the server has begun. */
    void drain(long overMillis) {
        command("drain " + overMillis);
    }

    /** Changes a setting that can change at run time. */
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

    /** The memory it has of the machine's. Linux only. */
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

    /** Ends it as a power failure would; it is gone when this returns. */
    void kill() {
        errorsExpected = true;
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Holds it where it is, or lets it go on. */
    void hold(boolean held) {
        try {
            new ProcessBuilder("kill", held ? "-STOP" : "-CONT", Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The test wants its server to log errors. */
    void expectErrors() {
        errorsExpected = true;
    }

    /** What it logged so far. */
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
        boolean clean = log.stream().noneMatch(line -> line.contains(" ERROR ") || line.contains("LEAK:"));
        if (!errorsExpected && (!clean || process.exitValue() != 0)) {
            throw new AssertionError("exit code " + process.exitValue() + ", the server's log:\n" + logText());
        }
    }
}
