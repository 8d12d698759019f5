package io.belfry.attack.server;

import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.process.ServerChild;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A server of our own in a process of its own, and what can be seen of it from outside. Owner: the main thread. */
public final class ServerUnderAttack implements AutoCloseable {
    private static final int PAGE_BYTES = 4096;

    private final ServerChild child;
    private final Disguise disguise;
    private final Facts facts;
    private final Path log;
    private final Insight insight;
    private final Stats stats;

    private ServerUnderAttack(ServerChild child, Disguise disguise, Facts facts, Path log) throws IOException {
        this.child = child;
        this.disguise = disguise;
        this.facts = facts;
        this.log = log;
        this.insight = Insight.into(child.pid());
        this.stats = new Stats(child.monitor());
    }

    /**
     * Starts one and waits until it listens; {@code folder} is an existing one for all it writes.
     *
     * @throws IllegalArgumentException with what is wrong with the configuration
     */
    public static ServerUnderAttack start(Order order, Path folder) throws IOException {
        Disguise disguise = Disguise.of(order, folder);
        Facts facts = Check.of(order, disguise, folder);
        List<String> command =
                new ArrayList<>(List.of(order.home().resolve("bin/belfry").toString(), "run", "--name", "attacked"));
        command.addAll(disguise.arguments());
        Path log = folder.resolve("server.out");
        ServerChild child = ServerChild.start(command, disguise.environment(), log);
        try {
            return new ServerUnderAttack(child, disguise, facts, log);
        } catch (IOException e) {
            child.close();
            throw e;
        }
    }

    public Facts facts() {
        return facts;
    }

    /** Where the attacks go: to the encrypted listener where there is one. */
    public int port() {
        return facts.encrypted() ? disguise.encryptedPort() : disguise.plainPort();
    }

    public long pid() {
        return child.pid();
    }

    public boolean isAlive() {
        return !child.hasEnded();
    }

    /** The best of its last words. */
    public String lastWord() {
        return child.lastWord();
    }

    /** Collects the server's garbage first. */
    public Memory memory() throws IOException {
        try {
            return new Memory(insight.heapBytes(), residentBytes(), stats.counter("cacheBytes"));
        } catch (BenchFailure e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private long residentBytes() throws IOException {
        Path file = Path.of("/proc", Long.toString(child.pid()), "statm");
        return Files.isReadable(file) ? Long.parseLong(Files.readString(file).split(" ", -1)[1]) * PAGE_BYTES : 0;
    }

    /** From here on the peak counts anew; where the system lets nobody say so, it is that since the start. */
    public void forgetPeak() {
        try {
            // proc(5): 5 sets the peak resident set size to the present one.
            Files.writeString(Path.of("/proc", Long.toString(child.pid()), "clear_refs"), "5");
        } catch (IOException e) {
            // Not Linux, or not allowed: a peak of before is no lie about the memory that was needed.
            return;
        }
    }

    /** The most it had of the machine's memory since then; 0 where the system does not tell. */
    public long peakBytes() {
        Path file = Path.of("/proc", Long.toString(child.pid()), "status");
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException | UncheckedIOException e) {
            return 0;
        }
    }

    /** Files and sockets it has open; 0 where the system does not tell. */
    public int openFiles() {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(child.pid()), "fd"))) {
            return (int) files.count();
        } catch (IOException e) {
            return 0;
        }
    }

    /** The event loops that are alive. */
    public Set<String> loops() {
        return insight.loops();
    }

    /** Exceptions that came to the end of a turn of a loop. */
    public long loopFailures() throws IOException {
        return stats.counter("loopFailures");
    }

    /** Subscriptions of live sessions, no older than a second. */
    public long subscriptions() throws IOException {
        return stats.counter("subscriptions");
    }

    public long logBytes() throws IOException {
        return Files.size(log);
    }

    /** What it printed and logged from there on. */
    public String logFrom(long byteOffset) throws IOException {
        byte[] all = Files.readAllBytes(log);
        int from = (int) Math.min(byteOffset, all.length);
        return new String(all, from, all.length - from, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        stats.close();
        insight.close();
        child.close();
    }
}
