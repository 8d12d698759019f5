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
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A child process that ends with {@link #close} or with this process. Its output goes to a file and to a listener. Owner:
 * the main thread; the listener is called by the child's own thread.
 *
 * <p>A shell is the parent of the program. It shields the program from Ctrl-C, which the terminal sends to the whole
 * process group, so that processes end in order. It ends the program when its own standard input ends, which happens
 * however this process ends.
 */
public final class Child implements AutoCloseable {
    private static final String KEEPER =
            "trap '' INT; \"$@\" </dev/null & child=$!; echo \"keeper of $child\"; exec >/dev/null 2>&1; cat"
                    + " >/dev/null; kill \"$child\" 2>/dev/null; wait \"$child\"";
    private static final String PID_LINE = "keeper of ";
    private static final Duration END_MAX = Duration.ofSeconds(40);
    private static final int LAST_LINES = 20;

    private final String name;
    private final Process keeper;
    private final Consumer<String> listener;
    private final CompletableFuture<Long> pid = new CompletableFuture<>();
    /** Completes when the output of the program has ended. */
    final CompletableFuture<Void> outputEnded = new CompletableFuture<>();

    private final Deque<String> lastLines = new ArrayDeque<>();
    private boolean killed;

    private Child(String name, Process keeper, Consumer<String> listener) {
        this.name = name;
        this.keeper = keeper;
        this.listener = listener;
    }

    /**
     * Starts a program.
     *
     * @param environment variables to add to this process's environment; they may have secrets
     * @param log file for the output; null = none
     */
    public static Child start(
            String name,
            List<String> command,
            Map<String, String> environment,
            @Nullable Path log,
            Consumer<String> listener) {
        List<String> withKeeper = new ArrayList<>(List.of("/bin/sh", "-c", KEEPER, "belfry-keeper"));
        withKeeper.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(withKeeper).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Writer out = log == null ? Writer.nullWriter() : Files.newBufferedWriter(log);
            Child child = new Child(name, builder.start(), listener);
            Thread.ofPlatform().daemon().name(name + "-output").start(() -> child.readOutput(out));
            return child;
        } catch (IOException e) {
            throw new BenchFailure("cannot start " + name + ": " + e.getMessage());
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

    /** The most informative of its last lines: an error if there is one. */
    public synchronized String lastLine() {
        List<String> lines = lastLines.stream().filter(line -> !line.isBlank()).toList();
        return lines.stream()
                .filter(line -> line.contains("ERROR"))
                .findFirst()
                .or(() -> lines.reversed().stream().findFirst())
                .map(line -> line.replaceFirst("^\\[[^]]*] \\[\\w+] ", "")
                        .replaceFirst("^\\S+Z ERROR +(\\[\\w+] \\w+: )?", ""))
                .orElse("it printed nothing");
    }

    /** The process id of the program itself, not of the shell. */
    public long pid() {
        try {
            return pid.copy().orTimeout(END_MAX.toSeconds(), TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw new BenchFailure(name + " did not start: " + lastLine());
        }
    }

    /** Whether the output of the program has ended. */
    public boolean hasEnded() {
        return outputEnded.isDone();
    }

    /** Requests the end of the program. */
    public void askToEnd() {
        try {
            keeper.getOutputStream().close();
        } catch (IOException e) {
            keep("its shell has ended: " + e.getMessage());
        }
    }

    /** Waits for the end and returns the exit code; empty if the program had to be killed. */
    public OptionalInt awaitEnd() {
        askToEnd();
        keeper.onExit()
                .completeOnTimeout(keeper, END_MAX.toSeconds(), TimeUnit.SECONDS)
                .join();
        if (!keeper.isAlive()) {
            return killed ? OptionalInt.empty() : OptionalInt.of(keeper.exitValue());
        }
        killed = true;
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
