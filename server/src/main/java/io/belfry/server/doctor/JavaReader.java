package io.belfry.server.doctor;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Reads the facts about the running JVM. Stateless. */
final class JavaReader {
    private JavaReader() {}

    static Host.Java here(HostFiles files, boolean server) {
        String temporary = System.getProperty("io.netty.native.workdir", System.getProperty("java.io.tmpdir", "/tmp"));
        return new Host.Java(
                Runtime.version().feature(),
                Runtime.version().toString(),
                server,
                Runtime.getRuntime().maxMemory(),
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                hasLibrary("netty_transport_native_epoll"),
                hasLibrary("netty_tcnative_linux"),
                temporary,
                mayRunFrom(files, temporary));
    }

    /** Returns whether a library exists on the class path; it is not loaded here. */
    private static boolean hasLibrary(String name) {
        String architecture = switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64" -> "aarch_64";
            default -> "other";
        };
        String library = "META-INF/native/lib" + name + "_" + architecture + ".so";
        return System.getProperty("os.name", "").equals("Linux")
                && JavaReader.class.getClassLoader().getResource(library) != null;
    }

    /** The mount with the longest path that contains a folder holds it, and of several the last one. */
    static boolean mayRunFrom(HostFiles files, String folder) {
        return files.lines("proc/self/mounts").stream()
                .map(line -> List.of(line.split(" ", -1)))
                .filter(mount -> mount.size() > 3 && Path.of(folder).startsWith(mount.get(1)))
                .reduce(JavaReader::longer)
                .map(mount -> !List.of(mount.get(3).split(",", -1)).contains("noexec"))
                .orElse(true);
    }

    private static List<String> longer(List<String> earlier, List<String> later) {
        return earlier.get(1).length() > later.get(1).length() ? earlier : later;
    }
}
