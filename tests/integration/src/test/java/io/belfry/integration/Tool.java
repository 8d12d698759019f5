package io.belfry.integration;

import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A run of an external program. Owner: the test; closing ends the program and its children. */
final class Tool implements AutoCloseable {
    private static final long RUN_SECONDS = 120;

    /** Time until a tool prints a part of its output, on a busy machine: some tools start several JVMs first. */
    private static final Duration START_MAX = Duration.ofSeconds(RUN_SECONDS);

    /**
     * Options of programs that live for seconds: the second compiler and the verification of classes would cost more than
     * they save.
     */
    private static final String SHORT_LIVED =
            "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";

    private static final Duration OUTPUT_WAIT = Duration.ofSeconds(10);

    /** The exit code and the output of a program. */
    record Result(int exitCode, String output, String errors) {
        /** Returns the output; fails if the exit code is not 0. */
        String wellDone() {
            if (exitCode != 0) {
                throw new AssertionError("exit code " + exitCode + "\n" + output + "\n" + errors);
            }
            return output;
        }
    }

    private final List<String> command;
    private final Process process;
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private final List<Thread> readers;

    private Tool(List<String> command, Path folder, Map<String, String> environment) {
        this.command = command;
        try {
            ProcessBuilder builder = new ProcessBuilder(TestMachine.interruptible(command)).directory(folder.toFile());
            // Recording the cache takes seconds, which few tests need; the complete build has recorded one.
            builder.environment().put("BELFRY_AOT_CACHE", "keep");
            builder.environment().put("BELFRY_JAVA_OPTIONS", SHORT_LIVED);
            builder.environment().put("BELFRY_BENCH_JAVA_OPTIONS", SHORT_LIVED);
            builder.environment().putAll(environment);
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        readers = List.of(
                startReading(process.inputReader(StandardCharsets.UTF_8), output),
                startReading(process.errorReader(StandardCharsets.UTF_8), errors));
    }

    /** Not with a virtual thread: a read of a pipe blocks its carrier, and a program has two pipes. */
    private static Thread startReading(Reader in, StringWriter into) {
        return Thread.ofPlatform().daemon().start(() -> read(in, into));
    }

    private static void read(Reader in, StringWriter into) {
        try (in) {
            in.transferTo(into);
        } catch (IOException e) {
            into.append("(the output ended: ").append(e.getMessage()).append(')');
        }
    }

    static Tool start(Path folder, Map<String, String> environment, List<String> command) {
        return new Tool(new ArrayList<>(command), folder, environment);
    }

    static Tool start(String... command) {
        return start(TestMachine.target(), Map.of(), List.of(command));
    }

    static Result run(String... command) {
        return run(TestMachine.target(), command);
    }

    static Result run(Path folder, String... command) {
        try (Tool tool = start(folder, Map.of(), List.of(command))) {
            return tool.await();
        }
    }

    /** Waits up to two minutes for the end of the program. */
    Result await() {
        return await(Duration.ofSeconds(RUN_SECONDS));
    }

    Result await(Duration atMost) {
        try {
            if (!process.waitFor(atMost)) {
                close();
                throw new AssertionError(command + " did not end:\n" + output + errors);
            }
            for (Thread reader : readers) {
                // A daemon that the program started may keep its output open.
                reader.join(OUTPUT_WAIT);
            }
            requireNoFault();
            return new Result(process.exitValue(), output.toString(), errors.toString());
        } catch (InterruptedException e) {
            throw new IllegalStateException(command.toString(), e);
        }
    }

    /** An exception that ended a thread fails the test, even if the exit code does not show it. */
    private void requireNoFault() {
        if ((output + "\n" + errors).lines().anyMatch(ServerProcess::isFault)) {
            throw new AssertionError(command + " printed a fault:\n" + output + errors);
        }
    }

    /** Waits until the output contains this part, and returns the output. */
    String awaitOutput(String part) {
        return await(output, part);
    }

    /** Waits until standard error contains this part, and returns it. */
    String awaitErrors(String part) {
        return await(errors, part);
    }

    private String await(StringWriter printed, String part) {
        Await.until(
                command + " prints " + part, START_MAX, () -> printed.toString().contains(part) || !process.isAlive());
        if (!printed.toString().contains(part)) {
            throw new AssertionError(command + " ended before it printed " + part + ":\n" + output + errors);
        }
        return printed.toString();
    }

    /** Sends the signal of Ctrl-C to this process alone. */
    void interrupt() {
        TestMachine.signal("INT", process.pid());
    }

    /** Returns all running descendants of the process. */
    List<ProcessHandle> family() {
        try (Stream<ProcessHandle> children = process.descendants()) {
            return children.toList();
        }
    }

    boolean isRunning() {
        return process.isAlive();
    }

    @Override
    public void close() {
        try (Stream<ProcessHandle> children = process.descendants()) {
            children.forEach(ProcessHandle::destroyForcibly);
        }
        process.destroyForcibly();
    }
}
