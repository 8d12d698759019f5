package io.belfry.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Kafka brokers on this machine, each with its own folder. Owner: the thread that started them. */
public final class Brokers implements AutoCloseable {
    private static final long START_SECONDS = 60;

    private final List<KafkaProcess> brokers;

    private Brokers(List<KafkaProcess> brokers) {
        this.brokers = List.copyOf(brokers);
    }

    /**
     * Starts {@code count} new brokers and returns when they accept connections. {@code home} is the project's folder.
     */
    public static Brokers start(Path home, Path folder, int count) throws IOException {
        return start(home, folder, count, null);
    }

    /**
     * Starts brokers with a second listener each, for clients that connect through a proxy. {@code proxyOf} gets the
     * port of that listener and returns the port of the proxy. The lines {@code more} are appended to the configuration
     * of each broker.
     */
    public static Brokers start(Path home, Path folder, int count, @Nullable IntUnaryOperator proxyOf, String... more)
            throws IOException {
        Path classPath = classPath(home);
        List<Integer> ports = Ports.free(3 * count);
        String voters = IntStream.range(0, count)
                .mapToObj(i -> (i + 1) + "@127.0.0.1:" + ports.get(count + i))
                .collect(Collectors.joining(","));
        List<KafkaProcess> made = new ArrayList<>();
        List<Process> formats = new ArrayList<>();
        String clusterId = newId();
        for (int i = 0; i < count; i++) {
            int other = ports.get(2 * count + i);
            KafkaProcess.ProxiedListener proxied =
                    proxyOf == null ? null : new KafkaProcess.ProxiedListener(other, proxyOf.applyAsInt(other));
            KafkaProcess broker = new KafkaProcess(
                    folder.resolve("broker-" + (i + 1)), classPath, i + 1, ports.get(i), proxied, List.of(more));
            formats.add(broker.beginFormat(clusterId, voters, ports.get(count + i), count));
            made.add(broker);
        }
        for (int i = 0; i < count; i++) {
            made.get(i).endFormat(formats.get(i));
        }
        Brokers all = new Brokers(made);
        try {
            for (KafkaProcess broker : made) {
                broker.start();
            }
            for (KafkaProcess broker : made) {
                broker.awaitStarted(START_SECONDS);
            }
            return all;
        } catch (IOException failure) {
            all.close();
            throw failure;
        }
    }

    /** Returns the folder of Kafka's jars; fails if they have not been copied by a build. */
    static Path classPath(Path home) throws IOException {
        Path classPath =
                home.resolve("cluster").resolve("brokers").resolve("target").resolve("lib");
        if (!Files.isDirectory(classPath)) {
            throw new IOException("Kafka is not in " + classPath + ": run mvn -q -DskipTests package");
        }
        return classPath;
    }

    /**
     * Returns a random cluster id. Its first bit is 0, so the id never begins with a dash, which Kafka's tools would
     * parse as an option.
     */
    static String newId() {
        UUID id = UUID.randomUUID();
        byte[] bytes = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.getMostSignificantBits() & Long.MAX_VALUE)
                .putLong(id.getLeastSignificantBits())
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Returns the brokers. */
    public List<KafkaProcess> all() {
        return brokers;
    }

    /** Returns the value for {@code Kafka.Brokers}. */
    public String addresses() {
        return brokers.stream().map(broker -> "127.0.0.1:" + broker.port()).collect(Collectors.joining(","));
    }

    /** Kills all brokers. */
    @Override
    public void close() {
        brokers.forEach(KafkaProcess::kill);
    }
}
