package io.belfry.attack.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.attack.attacks.EffectiveSettings;
import io.belfry.attack.attacks.SlowReceiver;
import io.belfry.attack.run.ServerSnapshot.Memory;
import io.belfry.benchkit.process.Child;
import io.belfry.benchkit.process.Kernel;
import io.belfry.benchkit.process.ServerChild;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A server process that this program starts to attack it, observed from outside. Owner: the main thread.
 *
 * @param port of its only listener, which is the encrypted one if the configuration has one
 * @param log file with all that the server prints
 * @param receiver receiver of events of subjects, if options of subjects ask for events
 */
record ServerUnderAttack(
        Child child, int port, EffectiveSettings settings, Path log, ServerProbe probe, Optional<SlowReceiver> receiver)
        implements AutoCloseable {
    private static final Pattern API = Pattern.compile("server API: http://127\\.0\\.0\\.1:(\\d+)/");

    /**
     * Starts a server and waits until it listens; all its files go into the existing {@code folder}.
     *
     * @throws IllegalArgumentException with the server's message if the configuration is invalid
     */
    static ServerUnderAttack start(AttackOptions options, Path folder) throws IOException {
        IsolatedConfig config = new IsolatedConfig(options, folder);
        Optional<SlowReceiver> receiver = config.asksForEvents() ? Optional.of(SlowReceiver.open()) : Optional.empty();
        try {
            receiver.ifPresent(config::sendEventsTo);
            return start(config, folder, receiver);
        } catch (IOException | RuntimeException e) {
            receiver.ifPresent(SlowReceiver::close);
            throw e;
        }
    }

    private static ServerUnderAttack start(IsolatedConfig config, Path folder, Optional<SlowReceiver> receiver)
            throws IOException {
        EffectiveSettings settings = config.check();
        Path log = folder.resolve("server.out");
        ServerChild started = ServerChild.start(config.command("run", "--name", "attacked"), config.environment, log);
        Child child = started.process();
        try {
            ServerProbe probe = new ServerProbe(child.pid(), started.monitor());
            int port = Integer.parseInt(started.address().replaceFirst(".*:", ""));
            EffectiveSettings.Api api = new EffectiveSettings.Api(apiPort(log), config.apiKey);
            return new ServerUnderAttack(child, port, settings.with(api), log, probe, receiver);
        } catch (IOException e) {
            child.close();
            throw e;
        }
    }

    /** Returns the port of the server API, which the server prints before the addresses of its listeners. */
    private static int apiPort(Path log) throws IOException {
        Matcher line = API.matcher(Files.readString(log));
        if (!line.find()) {
            throw new IOException("the server did not print the address of the server API");
        }
        return Integer.parseInt(line.group(1));
    }

    /** Runs a full collection in the server and reads its state. */
    ServerSnapshot snapshot() throws IOException {
        JsonNode counters = probe.counters();
        long historyBytes = counters.path("cacheBytes").asLong();
        long loopFailures = counters.path("loopFailures").asLong();
        Memory memory = new Memory(probe.heapBytesAfterGc(), statusBytes("VmRSS:"), historyBytes);
        return new ServerSnapshot(memory, openFiles(), probe.loops(), loopFailures, Files.size(log));
    }

    private Path proc(String file) {
        return Path.of("/proc", Long.toString(child.pid()), file);
    }

    /** Resets the peak of {@link #peakBytes}; without permission, the peak stays that since the start. */
    void resetPeak() {
        try {
            // proc(5): 5 sets the peak resident set size to the current one.
            Files.writeString(proc("clear_refs"), "5");
        } catch (IOException e) {
            // Not Linux, or not allowed: an earlier peak still is memory that the server needed.
            return;
        }
    }

    /** Returns the peak resident set size since {@link #resetPeak}; 0 if the system does not report it. */
    long peakBytes() {
        return statusBytes("VmHWM:");
    }

    private long statusBytes(String field) {
        return Kernel.read(proc("status").toString())
                .flatMap(status -> Kernel.found(status, field + "\\s+(\\d+) kB"))
                .map(kilobytes -> Long.parseLong(kilobytes) << 10)
                .orElse(0L);
    }

    /** Returns the number of open files and sockets; 0 if the system does not report it. */
    int openFiles() {
        try (Stream<Path> files = Files.list(proc("fd"))) {
            return (int) files.count();
        } catch (IOException e) {
            return 0;
        }
    }

    /** Returns what the server printed and logged from this byte offset on. */
    String logFrom(long byteOffset) {
        try {
            byte[] all = Files.readAllBytes(log);
            int from = (int) Math.min(byteOffset, all.length);
            return new String(all, from, all.length - from, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        probe.close();
        child.close();
        receiver.ifPresent(SlowReceiver::close);
    }
}
