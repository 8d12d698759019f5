package io.belfry.benchkit.process;

import io.belfry.benchkit.load.BenchFailure;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A server as a child that listens and has a monitor. Owner: the main thread. */
public final class ServerChild implements AutoCloseable {
    private static final Duration START_MAX = Duration.ofSeconds(60);
    private static final Duration GLANCE = Duration.ofMillis(50);

    private final Child child;
    private final Addresses addresses;

    private ServerChild(Child child, Addresses addresses) {
        this.child = child;
        this.addresses = addresses;
    }

    private record Addresses(String server, String monitor) {}

    /** Starts one and waits until it listens; its output is read and let go. */
    public static ServerChild start(List<String> command) {
        return start(command, Map.of(), Writer.nullWriter());
    }

    /** Starts one and waits until it listens; its output goes into a file. */
    public static ServerChild start(List<String> command, Path log) {
        return start(command, Map.of(), log);
    }

    /** With variables that are added to this process's environment: where secrets are handed on. */
    public static ServerChild start(List<String> command, Map<String, String> environment, Path log) {
        try {
            return start(command, environment, Files.newBufferedWriter(log));
        } catch (IOException e) {
            throw new BenchFailure("the server cannot be started: " + e.getMessage());
        }
    }

    private static ServerChild start(List<String> command, Map<String, String> environment, Writer log) {
        ServerOutput output = new ServerOutput();
        CompletableFuture<Addresses> listening = new CompletableFuture<>();
        Child child = Child.start("the server", command, environment, log, line -> {
            output.line(line);
            output.server()
                    .flatMap(server -> output.monitor().map(monitor -> new Addresses(server, monitor)))
                    .ifPresent(listening::complete);
        });
        try {
            return new ServerChild(child, await(child, listening));
        } catch (BenchFailure e) {
            child.close();
            throw e;
        }
    }

    private static Addresses await(Child child, CompletableFuture<Addresses> listening) {
        long end = System.nanoTime() + START_MAX.toNanos();
        while (System.nanoTime() < end) {
            if (child.hasEnded() && !listening.isDone()) {
                throw new BenchFailure("the server ended while starting: " + child.lastWord());
            }
            try {
                return listening.get(GLANCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                // It has not said so yet: the next round looks again.
            } catch (ExecutionException e) {
                throw new BenchFailure("the server's output cannot be read: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BenchFailure("interrupted");
            }
        }
        throw new BenchFailure(
                "the server did not say where it listens within " + START_MAX.toSeconds() + " s: " + child.lastWord());
    }

    /** {@code host:port}. */
    public String address() {
        return addresses.server();
    }

    /** {@code http://host:port}. */
    public String monitor() {
        return addresses.monitor();
    }

    public long pid() {
        return child.pid();
    }

    public boolean hasEnded() {
        return child.hasEnded();
    }

    /** The best of its last words: an error if there is one among them. */
    public String lastWord() {
        return child.lastWord();
    }

    /** Ends the server in order, or by force where that takes too long. */
    @Override
    public void close() {
        child.close();
    }
}
