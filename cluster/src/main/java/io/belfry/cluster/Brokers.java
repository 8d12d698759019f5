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

/** Kafka brokers on this machine, each with a folder of its own. Owner: the thread that started them. */
public final class Brokers implements AutoCloseable {
    private static final long START_SECONDS = 60;

    private final List<Broker> brokers;

    private Brokers(List<Broker> brokers) {
        this.brokers = List.copyOf(brokers);
    }

    /** Starts so many new ones and returns when they listen. {@code home} is the project's folder. */
    public static Brokers start(Path home, Path folder, int count) throws IOException {
        return start(home, folder, count, null);
    }

    /**
     * The same, where each has one more port. {@code detour} is given that and answers where a proxy to it listens: clients that
     * come by the proxy stay on it. The lines {@code more} go to the end of each one's settings.
     */
    public static Brokers start(Path home, Path folder, int count, @Nullable IntUnaryOperator detour, String... more)
            throws IOException {
        Path classPath =
                home.resolve("cluster").resolve("brokers").resolve("target").resolve("lib");
        if (!Files.isDirectory(classPath)) {
            throw new IOException("there are no brokers in " + classPath + ": mvn -q -DskipTests package brings them");
        }
        List<Integer> ports = Ports.free(3 * count);
        String voters = IntStream.range(0, count)
                .mapToObj(i -> (i + 1) + "@127.0.0.1:" + ports.get(count + i))
                .collect(Collectors.joining(","));
        List<Broker> made = new ArrayList<>();
        List<Process> formats = new ArrayList<>();
        String clusterId = newId();
        for (int i = 0; i < count; i++) {
            int other = ports.get(2 * count + i);
            Broker.Detour way = detour == null ? null : new Broker.Detour(other, detour.applyAsInt(other));
            Broker broker =
                    new Broker(folder.resolve("broker-" + (i + 1)), classPath, i + 1, ports.get(i), way, List.of(more));
            formats.add(broker.beginFormat(clusterId, voters, ports.get(count + i), count));
            made.add(broker);
        }
        for (int i = 0; i < count; i++) {
            made.get(i).endFormat(formats.get(i));
        }
        Brokers all = new Brokers(made);
        try {
            for (Broker broker : made) {
                broker.start();
            }
            for (Broker broker : made) {
                broker.awaitStarted(START_SECONDS);
            }
            return all;
        } catch (IOException failure) {
            all.close();
            throw failure;
        }
    }

    /** A new cluster's name. Its first bit is none, so that it never begins with a dash: Kafka's tools take that for an option. */
    static String newId() {
        UUID id = UUID.randomUUID();
        byte[] bytes = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.getMostSignificantBits() & Long.MAX_VALUE)
                .putLong(id.getLeastSignificantBits())
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    public List<Broker> all() {
        return brokers;
    }

    /** What {@code Kafka.Brokers} is to be. */
    public String addresses() {
        return brokers.stream().map(broker -> "127.0.0.1:" + broker.port()).collect(Collectors.joining(","));
    }

    /** Ends them all. */
    @Override
    public void close() {
        brokers.forEach(Broker::kill);
    }
}
