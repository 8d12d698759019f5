package io.belfry.integration;

import io.belfry.server.Server;
import io.belfry.server.log.UncaughtExceptions;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/**
 * The main class of a {@link ServerProcess}: a server that prints its ports, executes the commands in its input lines,
 * and stops at the end of its input. It therefore never outlives the test that started it.
 */
final class ServerMain {
    static final String ANSWER = "@";
    private static final long COLLECTION_MILLIS = 5000;

    private ServerMain() {}

    public static void main(String[] sets) throws IOException, InterruptedException {
        UncaughtExceptions.log();
        serve(sets);
        awaitOthers();
        System.exit(0);
    }

    /** Returns when the server has stopped. */
    static void serve(String... sets) throws IOException, InterruptedException {
        ReloadableServer reloadable = ReloadableServer.start(List.of(sets));
        Server server = reloadable.server();
        PrintStream out = System.out;
        out.println(ANSWER + ports(server));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("drain ")) {
                server.drain(Duration.ofMillis(Long.parseLong(line.substring("drain ".length()))));
            } else {
                reloadable.reload(line).ifPresent(out::println);
            }
            out.println(ANSWER + "done");
        }
        server.stop();
        reportLeaks();
        out.println(ANSWER + "stopped");
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

    /** No thread of a stopped server may still run, except a thread of Netty that first waits for a second. */
    private static void awaitOthers() throws InterruptedException {
        for (Thread other : Thread.getAllStackTraces().keySet()) {
            boolean ends = other.isDaemon()
                    || other.equals(Thread.currentThread())
                    || other.getName().startsWith("globalEventExecutor");
            if (!ends) {
                other.join(COLLECTION_MILLIS);
            }
            if (!ends && other.isAlive()) {
                System.out.println(" ERROR a thread outlived the server: " + other);
                System.exit(1);
            }
        }
    }

    /** Netty reports a leaked buffer at the next allocation after the garbage collector found it. */
    private static void reportLeaks() throws InterruptedException {
        if ("disabled".equals(System.getProperty("io.netty.leakDetection.level"))) {
            return;
        }
        // References of one collection are enqueued in no order. After the second, all of the first are enqueued.
        awaitCollection();
        awaitCollection();
        for (int i = 0; i < 100; i++) {
            PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
    }

    /** The JVM enqueues unreachable references in another thread, some time after the collection. */
    private static void awaitCollection() throws InterruptedException {
        ReferenceQueue<Object> found = new ReferenceQueue<>();
        WeakReference<Object> unreachable = new WeakReference<>(new Object(), found);
        System.gc();
        if (!unreachable.equals(found.remove(COLLECTION_MILLIS))) {
            throw new IllegalStateException("the garbage collector found no unreachable reference");
        }
    }
}
