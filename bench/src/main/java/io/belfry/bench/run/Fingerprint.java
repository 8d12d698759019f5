package io.belfry.bench.run;

import io.belfry.benchkit.measure.Texts;
import io.belfry.benchkit.process.Kernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Describes this host, as far as it affects figures, and the measured versions. Pure, but for the files it reads. */
final class Fingerprint {
    private static final String SYSCTLS = "fs.nr_open net.core.somaxconn net.ipv4.tcp_max_syn_backlog"
            + " net.ipv4.ip_local_port_range net.ipv4.tcp_mem net.ipv4.tcp_rmem net.ipv4.tcp_wmem vm.nr_hugepages";
    private static final double GIGABYTE_IN_KB = 1024.0 * 1024;

    private Fingerprint() {}

    static Map<String, String> host() {
        Map<String, String> host = new LinkedHashMap<>();
        String cpu = Kernel.read("/proc/cpuinfo").orElse("");
        put(host, "CPU", Kernel.found(cpu, "(?m)^model name\\s*:\\s*(.+)$"));
        host.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        put(host, "MHz", Kernel.found(cpu, "(?m)^cpu MHz\\s*:\\s*(\\d+)"));
        host.put("virtual machine", cpu.contains(" hypervisor ") ? "yes" : "not detected");
        Optional<String> governor = Kernel.read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
        host.put("governor", governor.orElse("not visible"));
        put(host, "memory", memory());
        Stream<String> kernel = Stream.of("os.name", "os.version", "os.arch").map(System::getProperty);
        host.put("kernel", kernel.collect(Collectors.joining(" ")));
        put(host, "transparent huge pages", chosen("/sys/kernel/mm/transparent_hugepage/enabled"));
        Kernel.openFilesMax().ifPresent(files -> host.put("open files per process", Long.toString(files)));
        for (String name : SYSCTLS.split(" ", -1)) {
            put(host, name, sysctl(name));
        }
        put(host, "load average before", Kernel.read("/proc/loadavg").map(text -> text.replaceFirst(" \\d+/.*", "")));
        return host;
    }

    private static void put(Map<String, String> host, String name, Optional<String> value) {
        value.ifPresent(text -> host.put(name, text));
    }

    private static Optional<String> memory() {
        return Kernel.read("/proc/meminfo")
                .flatMap(text -> Kernel.found(text, "MemTotal:\\s+(\\d+) kB"))
                .map(kilobytes -> Texts.format("%.1f GB", Long.parseLong(kilobytes) / GIGABYTE_IN_KB));
    }

    private static Optional<String> sysctl(String name) {
        return Kernel.read("/proc/sys/" + name.replace('.', '/')).map(text -> text.replaceAll("\\s+", " "));
    }

    /** The kernel writes {@code always [madvise] never}. */
    private static Optional<String> chosen(String path) {
        return Kernel.read(path).flatMap(text -> Kernel.found(text, "\\[(\\w+)]"));
    }

    /** {@code serverVersion}: the version that the server reports. */
    static Map<String, String> versions(Path home, Optional<String> serverVersion) {
        Map<String, String> versions = new LinkedHashMap<>();
        @Nullable String built = Fingerprint.class.getPackage().getImplementationVersion();
        versions.put("Belfry", serverVersion.orElse(built == null ? "not from a jar" : built));
        put(versions, "commit", commit(home));
        versions.put("Java", System.getProperty("java.vm.version", "") + ", " + System.getProperty("java.vm.name", ""));
        put(versions, "Netty", netty(home.resolve("server/target/lib")));
        return versions;
    }

    private static Optional<String> netty(Path lib) {
        try (Stream<Path> jars = Files.list(lib)) {
            return jars.map(jar -> String.valueOf(jar.getFileName()))
                    .flatMap(name -> Kernel.found(name, "^netty-buffer-(.+)\\.jar$").stream())
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The commit of the working copy; empty without a working copy or without git. */
    private static Optional<String> commit(Path home) {
        return git(home, "rev-parse", "--short=12", "HEAD")
                .map(hash -> git(home, "status", "--porcelain", "--untracked-files=no")
                        .filter(changes -> !changes.isEmpty())
                        .map(changes -> hash + " with changes")
                        .orElse(hash));
    }

    private static Optional<String> git(Path home, String... words) {
        return Kernel.run(Stream.concat(Stream.of("git", "-C", home.toString()), Stream.of(words))
                .toList());
    }
}
