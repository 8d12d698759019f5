package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Options for the JVM of a server, in order: those derived from the configuration and the host, the profile's files in
 * tuning/jvm, the profile's AOT cache, and the user's own. The JVM uses the last of conflicting options. Pure except for reading host files.
 *
 * @param home folder that contains tuning/
 */
record JvmOptions(Path home, Map<String, String> environment) {
    private static final String DEFAULT_PROFILE = "throughput";
    private static final long HEAP_INITIAL_BYTES = 64L << 20;
    private static final long HEAP_MIN_BYTES = 16L << 20; // Memory is at least 32 MB

    /** Heap size from which on huge pages are used: they round the memory in use up, and only large heaps gain from them. */
    private static final long HUGE_PAGES_MIN_BYTES = 2L << 30;

    /** Heap that one periodic collection per minute may mark; a larger heap is collected less often, for the same CPU. */
    private static final long PERIODIC_BYTES_PER_MINUTE = 512L << 20;

    private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

    /** Returns the options. Throws {@link IllegalArgumentException} with a sentence if the profile does not exist. */
    List<String> of(ServerConfig config) {
        List<String> options = new ArrayList<>();
        options.add("-Dbelfry.home=" + home);
        options.addAll(heap(config.process().memoryBytes()));
        Path logs = config.process().log().folder().toAbsolutePath();
        options.add("-XX:HeapDumpPath=" + logs);
        options.add("-XX:ErrorFile=" + logs.resolve("hs_err_pid%p.log"));
        options.add("@" + file("common"));
        options.add("@" + file(profile(environment)));
        if (AotCache.wanted(environment)) {
            options.addAll(AotCache.of(home, profile(environment)).options());
        }
        Arrays.stream(environment.getOrDefault("BELFRY_JAVA_OPTIONS", "").split("\\s+", -1))
                .filter(option -> !option.isEmpty())
                .forEach(options::add);
        return options;
    }

    /**
     * The heap grows with its use up to the bound, and shrinks after it: a collection per minute without another one returns
     * free memory to the system.
     */
    private static List<String> heap(long bytes) {
        List<String> options = new ArrayList<>();
        options.add("-XX:InitialHeapSize=" + Math.min(bytes, HEAP_INITIAL_BYTES) / 1024 + "k");
        options.add("-XX:MinHeapSize=" + HEAP_MIN_BYTES / 1024 + "k");
        options.add("-Xmx" + bytes / 1024 + "k");
        options.add("-XX:G1PeriodicGCInterval=" + 60_000 * Math.max(1, bytes / PERIODIC_BYTES_PER_MINUTE));
        if (bytes >= HUGE_PAGES_MIN_BYTES && hostOffersHugePages()) {
            options.add("-XX:+UseTransparentHugePages");
        }
        return options;
    }

    /** Returns the name of the profile in use. */
    static String profile(Map<String, String> environment) {
        return environment.getOrDefault("BELFRY_JVM_PROFILE", DEFAULT_PROFILE);
    }

    private Path file(String profile) {
        Path file = home.resolve("tuning").resolve("jvm").resolve(profile + ".options");
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(
                    "BELFRY_JVM_PROFILE: profile file " + file + " cannot be read; set it to throughput or low-pause");
        }
        return file;
    }

    /** Returns whether the host enables huge pages. Where they are disabled, the JVM would only print a warning. */
    private static boolean hostOffersHugePages() {
        try {
            return !Files.readString(HUGE_PAGES).contains("[never]");
        } catch (IOException e) {
            return false; // not Linux, or hidden by a container
        }
    }
}
