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
 * tuning/jvm, and the user's own. The JVM uses the last of conflicting options. Pure except for reading host files.
 *
 * @param home folder that contains tuning/
 */
record JvmOptions(Path home, Map<String, String> environment) {
    private static final String DEFAULT_PROFILE = "throughput";
    private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

    /** Returns the options. Throws {@link IllegalArgumentException} with a sentence if the profile does not exist. */
    List<String> of(ServerConfig config) {
        List<String> options = new ArrayList<>();
        options.add("-Dbelfry.home=" + home);
        // Initial and maximum size are equal: a growing heap is collected more often while clients connect.
        String heap = config.process().memoryBytes() / 1024 + "k";
        options.add("-Xms" + heap);
        options.add("-Xmx" + heap);
        Path logs = config.process().log().folder().toAbsolutePath();
        options.add("-XX:HeapDumpPath=" + logs);
        options.add("-XX:ErrorFile=" + logs.resolve("hs_err_pid%p.log"));
        if (hostOffersHugePages()) {
            options.add("-XX:+UseTransparentHugePages");
        }
        options.add("@" + file("common"));
        options.add("@" + file(environment.getOrDefault("BELFRY_JVM_PROFILE", DEFAULT_PROFILE)));
        Arrays.stream(environment.getOrDefault("BELFRY_JAVA_OPTIONS", "").split("\\s+", -1))
                .filter(option -> !option.isEmpty())
                .forEach(options::add);
        return options;
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
