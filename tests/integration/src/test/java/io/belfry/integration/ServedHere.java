package io.belfry.integration;

import io.belfry.server.Server;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ServerConfig;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The process that {@link ServerProcess} starts: a server that says its ports on its output, does what lines of its input
 * ask for, and stops at the input's end, so that it never outlives the test that started it.
 */
final class ServedHere {
    static final String ANSWER = "@";
    private static final long COLLECTION_MILLIS = 5000;

    private ServedHere() {}

    public static void main(String[] sets) throws IOException, InterruptedException {
        serve(sets);
        awaitOthers();
        System.exit(0);
    }

    /** Returns when the server has stopped. */
    static void serve(String... sets) throws IOException, InterruptedException {
        List<String> settings = new ArrayList<>(List.of(sets));
        Server server = Server.start(config(settings));
        PrintStream out = System.out;
        out.println(ANSWER + ports(server));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("drain ")) {
                server.drain(Duration.ofMillis(Long.parseLong(line.substring("drain ".length()))));
            } else {
                settings.add(line);
                reconfigure(server, settings);
            }
            out.println(ANSWER + "done");
        }
        server.stop();
        reportLeaks();
        out.println(ANSWER + "stopped");
    }

    /** As the server's own command does: what cannot be taken over changes nothing. */
    private static void reconfigure(Server server, List<String> settings) {
        try {
            server.reconfigure(config(settings));
        } catch (IllegalStateException refused) {
            settings.removeLast();
            System.out.println("not reloaded: " + refused.getMessage());
        }
    }

    private static ServerConfig config(List<String> settings) {
        return ConfigLoader.load(Optional.empty(), Map.of(), settings);
    }

    private static String ports(Server server) {
        StringBuilder line = new StringBuilder();
        server.listening()
                .plain()
                .forEach(address -> line.append(address.port()).append(' '));
        server.listening()
                .encrypted()
                .forEach(address -> line.append(address.port()).append(' '));
        return line.append("http ")
                .append(portOr0(server.monitor().httpPort()))
                .append(" jmx ")
                .append(portOr0(server.monitor().jmxPort()))
                .toString();
    }

    private static int portOr0(OptionalInt port) {
        return port.orElse(0);
    }

    /** Nothing of a stopped server goes on, but for a thread of Netty's own that would wait for a second first. */
    private static void awaitOthers() throws InterruptedException {
        for (Thread other : Thread.getAllStackTraces().keySet()) {
            boolean ends = other.isDaemon()
                    || other.equals(Thread.currentThread())
                    || other.getName().startsWith("globalEventExecutor");
            if (!ends) {
                other.join(COLLECTION_MILLIS);
            }
            if (!ends && other.isAlive()) {
                System.out.println(" ERROR the server has stopped and left " + other);
                System.exit(1);
            }
        }
    }

    /** Netty tells of a leaked buffer when it next hands one out after the collector found it. */
    private static void reportLeaks() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            awaitCollection();
        }
        for (int i = 0; i < 100; i++) {
            PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
    }

    /** What is found unreachable is handed on by another thread, some time after. */
    private static void awaitCollection() throws InterruptedException {
        ReferenceQueue<Object> found = new ReferenceQueue<>();
        WeakReference<Object> unreachable = new WeakReference<>(new Object(), found);
        System.gc();
        if (!unreachable.equals(found.remove(COLLECTION_MILLIS))) {
            throw new IllegalStateException("the collector found nothing");
        }
    }
}
