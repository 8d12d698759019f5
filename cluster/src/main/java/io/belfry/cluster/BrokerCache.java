package io.belfry.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The AOT cache of the brokers: loaded classes and profiles of methods, with which the start of a broker costs half as much. The
 * JVM ignores a cache of another JDK. A second file has the names of the jars, because JDK 25 does not compare them. Immutable.
 *
 * @param classPath folder with the jars of a broker
 */
record BrokerCache(Path classPath) {
    private static final long START_SECONDS = 60;

    /** The JVM writes the cache while it ends, which takes ten seconds on two idle cores. */
    private static final long STOP_SECONDS = 300;

    /** Time for the work of a broker after its start, which the cache includes. */
    private static final long WORK_MILLIS = 2000;

    Path file() {
        return classPath.resolveSibling("brokers.aot");
    }

    /** Returns the options with which a broker uses the cache; none if there is no cache of these jars. */
    List<String> options() throws IOException {
        boolean current = Files.exists(file())
                && Files.exists(description())
                && Files.readString(description()).equals(jars());
        return current ? optionsOf("-XX:AOTCache=" + file()) : List.of();
    }

    private Path description() {
        return classPath.resolveSibling("brokers.aot.built-from");
    }

    /** Returns the names of the jars, which contain their versions. */
    private String jars() throws IOException {
        try (Stream<Path> files = Files.list(classPath)) {
            return files.map(jar -> jar.getFileName().toString()).sorted().collect(Collectors.joining("\n"));
        }
    }

    /** The JVM would report each class that it cannot store, and a cache that it cannot use. */
    private static List<String> optionsOf(String option) {
        return List.of(option, "-Xlog:aot*=off", "-Xlog:cds*=off");
    }

    /** Starts and stops a broker in this folder, and records what it loads. */
    void record(Path folder) throws IOException, InterruptedException {
        List<Integer> ports = Ports.free(2);
        KafkaProcess broker = new KafkaProcess(folder, classPath, 1, ports.getFirst(), null, List.of());
        broker.endFormat(broker.beginFormat(Brokers.newId(), "1@127.0.0.1:" + ports.getLast(), ports.getLast(), 1));
        Path unfinished = folder.resolve(file().getFileName());
        broker.start(optionsOf("-XX:AOTCacheOutput=" + unfinished));
        try {
            broker.awaitStarted(START_SECONDS);
            Thread.sleep(WORK_MILLIS);
            broker.stop(STOP_SECONDS);
        } finally {
            broker.kill();
        }
        if (!Files.exists(unfinished)) {
            throw new IOException("the JVM recorded no cache; the log of the broker is in " + folder);
        }
        Files.deleteIfExists(description());
        Files.move(unfinished, file(), StandardCopyOption.ATOMIC_MOVE);
        Files.writeString(description(), jars());
    }
}
