package io.belfry.benchkit.process;

import io.belfry.benchkit.load.BenchFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A program that outlives neither {@link #close} nor this process; its output goes to a file and past a listener. Owner:
 * the main thread; the listener is called by a thread of the child's.
 *
 * <p>A shell stands between: it keeps Ctrl-C, which the terminal sends to the whole group, from the program, so that
 * things end in their order; and it ends the program when its own standard input ends, which happens however this
 * process dies.
 */
public final class Child implements AutoCloseable {
    private static final String KEEPER =
            "trap '' INT; \"$@\" </dev/null & child=$!; echo \"keeper of $child\"; exec >/dev/null 2>&1; cat >/dev/null;"
                    + " kill \"$child\" 2>/dev/null; wait \"$child\"";
    private static final String PID_LINE = "keeper of ";
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final int LAST_LINES = 20;

    private final String name;
    private final Process keeper;
    private final Consumer<String> listener;
    private final CompletableFuture<Long> pid = new CompletableFuture<>();
    private final CompletableFuture<Void> outputEnded = new CompletableFuture<>();
    private final Deque<String> lastLines = new ArrayDeque<>();

    private Child(String name, Process keeper, Consumer<String> listener) {
        this.name = name;
        this.keeper = keeper;
        this.listener = listener;
    }

    /** Its output goes into a file; {@code environment} is added to this process's: where secrets are handed on. */
    public static Child start(
            String name, List<String> command, Map<String, String> environment, Path log, Consumer<String> listener) {
        try {
            return start(name, command, environment, Files.newBufferedWriter(log), listener);
        } catch (IOException e) {
            throw new BenchFailure(name + " cannot be started: " + e.getMessage());
        }
    }

    /** {@code environment} is added to this process's; {@code log} is closed when the output ends. */
    static Child start(
            String name, List<String> command, Map<String, String> environment, Writer log, Consumer<String> listener) {
        List<String> withKeeper = new ArrayList<>(List.of("/bin/sh", "-c", KEEPER, "belfry-keeper"));
        withKeeper.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(withKeeper).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Child child = new Child(name, builder.start(), listener);
            Thread.ofPlatform().daemon().name(name + "-output").start(() -> child.readOutput(log));
            return child;
        } catch (IOException e) {
            throw new BenchFailure(name + " cannot be started: " + e.getMessage());
        }
    }

    private void readOutput(Writer log) {
        try (log;
                BufferedReader lines = keeper.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(PID_LINE)) {
                    pid.complete(Long.valueOf(line.substring(PID_LINE.length())));
                } else {
                    keep(line);
                    log.write(line + "\n");
                    log.flush();
                    listener.accept(line);
                }
            }
        } catch (IOException e) {
            keep(e.toString());
        } finally {
            outputEnded.complete(null);
        }
    }

    private synchronized void keep(String line) {
        if (lastLines.size() == LAST_LINES) {
            lastLines.removeFirst();
        }
        lastLines.addLast(line);
    }

    /** The best of its last words: an error if there is one among them. */
    public synchronized String lastWord() {
        List<String> lines = lastLines.stream().filter(line -> !line.isBlank()).toList();
        return lines.stream()
                .filter(line -> line.contains("ERROR"))
                .findFirst()
                .or(() -> lines.reversed().stream().findFirst())
                .map(line -> line.replaceFirst("^\\[[^]]*] \\[\\w+] ", "")
                        .replaceFirst("^\\S+Z ERROR +(\\[\\w+] \\w+: )?", ""))
                .orElse("it said nothing");
    }

    public String name() {
        return name;
    }

    /** Of the program itself. */
    public long pid() {
        try {
            return pid.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailure("interrupted");
        } catch (Exception e) {
            throw new BenchFailure(name + " did not start: " + lastWord());
        }
    }

    public boolean hasEnded() {
        return outputEnded.isDone();
    }

    /** Asks it to end, if it has not yet. */
    public void askToEnd() {
        try {
            keeper.getOutputStream().close();
        } catch (IOException e) {
            keep("its keeper is gone: " + e.getMessage());
        }
    }

    /** Its exit code once it has ended; empty where it did not within the patience and was ended by force. */
    public OptionalInt awaitEnd() {
        askToEnd();
        try {
            if (keeper.waitFor(PATIENCE)) {
                return OptionalInt.of(keeper.exitValue());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        keeper.descendants().forEach(ProcessHandle::destroyForcibly);
        keeper.destroyForcibly();
        return OptionalInt.empty();
    }

    @Override
    public void close() {
        awaitEnd();
        outputEnded.join();
    }
}
