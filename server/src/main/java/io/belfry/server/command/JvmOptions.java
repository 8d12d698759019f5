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
 * The options a server's JVM is started with: those that follow from the configuration and the host, then the profile's
 * files in tuning/jvm, then the user's own, of which the last one counts. Pure but for looking at the host.
 *
 * @param home the folder that holds tuning/
 */
record JvmOptions(Path home, Map<String, String> environment) {
    private static final String DEFAULT_PROFILE = "throughput";
    private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

    /** Throws {@link IllegalArgumentException} with a sentence when the profile does not exist. */
    List<String> of(ServerConfig config) {
        List<String> options = new ArrayList<>();
        options.add("-Dbelfry.home=" + home);
        // The same twice: a heap that grows step by step collects more often while clients come in.
        String heap = config.memoryBytes() / 1024 + "k";
        options.add("-Xms" + heap);
        options.add("-Xmx" + heap);
        Path logs = config.log().folder().toAbsolutePath();
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
                    "there is no JVM profile " + file + "; BELFRY_JVM_PROFILE is throughput or low-pause");
        }
        return file;
    }

    /** Where the host has switched them off the JVM would only print a warning. */
    private static boolean hostOffersHugePages() {
        try {
            return !Files.readString(HUGE_PAGES).contains("[never]");
        } catch (IOException e) {
            return false; // no Linux, or hidden by a container
        }
    }
}
