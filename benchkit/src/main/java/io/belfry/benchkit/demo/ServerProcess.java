package io.belfry.benchkit.demo;

import io.belfry.benchkit.load.BenchFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A server as a child process that outlives neither {@link #close} nor this process. Owner: the main thread.
 *
 * <p>A shell stands between: it keeps Ctrl-C, which the terminal sends to the whole group, from the server, so that the
 * demo can settle its account first; and it ends the server when its standard input ends, which happens however this
 * process dies.
 */
final class ServerProcess implements AutoCloseable {
    private static final String KEEPER =
            "trap '' INT; \"$@\" </dev/null & server=$!; exec >/dev/null 2>&1; cat >/dev/null; kill \"$server\" 2>/dev/null; wait \"$server\"";
    private static final int LAST_LINES = 20;

    private final Process keeper;
    private final CompletableFuture<ServerOutput> started = new CompletableFuture<>();
    private final CompletableFuture<Void> outputEnded = new CompletableFuture<>();
    private final Deque<String> lastLines = new ArrayDeque<>();

    private ServerProcess(Process keeper) {
        this.keeper = keeper;
    }

    static ServerProcess start(List<String> command) {
        List<String> withKeeper = new ArrayList<>(List.of("/bin/sh", "-c", KEEPER, "belfry-demo"));
        withKeeper.addAll(command);
        try {
            ServerProcess server = new ServerProcess(
                    new ProcessBuilder(withKeeper).redirectErrorStream(true).start());
            Thread.ofPlatform().daemon().name("server-output").start(server::readOutput);
            return server;
        } catch (IOException e) {
            throw new BenchFailure("the server cannot be started: " + e.getMessage());
        }
    }

    private void readOutput() {
        ServerOutput output = new ServerOutput();
        try (BufferedReader lines = keeper.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                keep(line);
                output.line(line);
                if (output.server().isPresent() && output.monitor().isPresent()) {
                    started.complete(output);
                }
            }
        } catch (IOException e) {
            keep(e.toString());
        } finally {
            outputEnded.complete(null);
            started.completeExceptionally(new IOException("ended"));
        }
    }

    private synchronized void keep(String line) {
        if (lastLines.size() == LAST_LINES) {
            lastLines.removeFirst();
        }
        lastLines.addLast(line);
    }

    private synchronized String lastLines() {
        return String.join("\n", lastLines);
    }

    /** Waits until it listens. */
    ServerOutput started(Duration patience) {
        try {
            return started.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new BenchFailure("the server ended while starting:\n" + lastLines());
        } catch (TimeoutException e) {
            throw new BenchFailure(
                    "the server did not say where it listens within " + patience.toSeconds() + " s:\n" + lastLines());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailure("interrupted");
        }
    }

    boolean ended() {
        return outputEnded.isDone();
    }

    /** Ends the server in order, or by force where that takes too long. */
    @Override
    public void close() {
        List<ProcessHandle> family = keeper.descendants().toList();
        try {
            keeper.getOutputStream().close();
            if (!keeper.waitFor(10, TimeUnit.SECONDS)) {
                family.forEach(ProcessHandle::destroyForcibly);
                keeper.destroyForcibly();
            }
        } catch (IOException e) {
            family.forEach(ProcessHandle::destroyForcibly);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            family.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
