package io.belfry.benchkit.process;

import io.belfry.benchkit.load.BenchFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server as a child process that accepts connections and has a monitor. Owner: the main thread.
 *
 * @param process the process of the server
 * @param address the address of the first listener: {@code host:port}
 * @param monitor the address of the monitor: {@code http://host:port}
 */
public record ServerChild(Child process, String address, String monitor) implements AutoCloseable {
    private static final Duration START_MAX = Duration.ofSeconds(60);
    /** The first start of a build records the AOT cache, which takes 10 s, but minutes on a machine that is busy. */
    private static final Duration RECORDING_MAX = Duration.ofMinutes(5);

    /** Finds the addresses in the lines that a starting server prints. Owner: the thread that reads them. */
    static final class StartLines {
        private static final Pattern LISTENING = Pattern.compile("\\blistening on (?:ws://)?(\\S+:\\d+)");
        private static final String RECORDING = "recording the AOT cache";
        private static final Pattern MONITOR = Pattern.compile("(?i)\\bmonitor(?: on|:) (http://\\S+?)/*(?:\\s|$)");

        /** {@code host:port} of the first listener. */
        final CompletableFuture<String> server = new CompletableFuture<>();
        /** {@code http://host:port} of the monitor. */
        final CompletableFuture<String> monitor = new CompletableFuture<>();

        /** Completes when the server prints that it records a cache before it starts. */
        final CompletableFuture<Void> recording = new CompletableFuture<>();

        void line(String line) {
            if (line.contains(RECORDING)) {
                recording.complete(null);
            }
            complete(server, LISTENING.matcher(line));
            complete(monitor, MONITOR.matcher(line));
        }

        private static void complete(CompletableFuture<String> address, Matcher matcher) {
            if (matcher.find()) {
                address.complete(matcher.group(1));
            }
        }
    }

    /** Settings for a server on free ports that admits every client and has a monitor without a password. */
    public static final List<String> OPEN_SETTINGS = List.of(
            "Monitor=HTTP",
            "MonitorHTTP.Listen=127.0.0.1:0",
            "MonitorHTTP.Authentication=false",
            "Entitlement=None",
            "BenchmarkMode=true");

    /** Returns the command that starts a server; the name distinguishes it from a server that already runs. */
    public static List<String> command(Path home, String name, List<String> arguments) {
        String program = home.resolve("bin/belfry").toString();
        String uniqueName = name + "-" + ProcessHandle.current().pid();
        return Stream.concat(Stream.of(program, "run", "--name", uniqueName), arguments.stream())
                .toList();
    }

    /** Starts a server and waits until it listens; its output is discarded. */
    public static ServerChild start(List<String> command) {
        return start(command, Map.of(), null);
    }

    /** Starts a server and waits until it listens; {@code environment}, which may have secrets, adds to this process's. */
    public static ServerChild start(List<String> command, Map<String, String> environment, @Nullable Path log) {
        StartLines lines = new StartLines();
        Child child = Child.start("the server", command, environment, log, lines::line);
        try {
            await(child, lines);
            return new ServerChild(child, lines.server.join(), lines.monitor.join());
        } catch (BenchFailure e) {
            child.close();
            throw e;
        }
    }

    private static void await(Child child, StartLines lines) {
        CompletableFuture<Void> listening = CompletableFuture.allOf(lines.server, lines.monitor);
        CompletableFuture<Object> startEnded = CompletableFuture.anyOf(listening, child.outputEnded);
        if (!completes(startEnded, START_MAX) && !(lines.recording.isDone() && completes(startEnded, RECORDING_MAX))) {
            throw new BenchFailure("the server did not print its addresses in time: " + child.lastLine());
        }
        if (!listening.isDone()) {
            throw new BenchFailure("the server ended while starting: " + child.lastLine());
        }
    }

    private static boolean completes(CompletableFuture<Object> event, Duration max) {
        try {
            event.copy().orTimeout(max.toSeconds(), TimeUnit.SECONDS).join();
            return true;
        } catch (CompletionException e) {
            return false;
        }
    }

    /** Ends the server in order, or by force if that takes too long. */
    @Override
    public void close() {
        process.close();
    }
}
