package io.belfry.server.doctor;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Reads the host's facts from the kernel's files. Immutable. */
public final class HostReader {
    private static final List<String> SETTINGS = List.of(
            "fs.nr_open",
            "fs.file-max",
            "net.core.somaxconn",
            "net.ipv4.tcp_max_syn_backlog",
            "net.ipv4.tcp_mem",
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_wmem",
            "net.ipv4.ip_local_port_range",
            "net.ipv4.ip_unprivileged_port_start",
            "net.netfilter.nf_conntrack_max");

    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final Pattern OPEN_FILES = Pattern.compile("^Max open files\\s+(\\S+)\\s+(\\S+)");
    private static final Pattern RAM = Pattern.compile("^MemTotal:\\s+(\\d+) kB");
    private static final Pattern HUGE_PAGES = Pattern.compile("\\[(\\w+)]");
    private static final Pattern CAPABILITIES = Pattern.compile("^CapEff:\\s+([0-9a-f]{16})");
    private static final int CAP_NET_BIND_SERVICE = 10;

    /** A row of /proc/net/tcp with state 0A, which means listening. */
    private static final Pattern LISTENING =
            Pattern.compile("^\\s*\\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A ");

    private static final Pattern PORTS = Pattern.compile("(\\d+)(?:-(\\d+))?");
    private static final Pattern PROCESSORS_CHOSEN = Pattern.compile("[1-9a-f]");

    private final HostFiles files;
    private final Host.Java java;
    private final int processors;

    HostReader(Path root, int processors, Host.Java java) {
        this.files = new HostFiles(root);
        this.processors = processors;
        this.java = java;
    }

    /**
     * Returns this machine as the running JVM sees it.
     *
     * @param server whether this JVM runs the server and is checked itself; then the listening ports are not read
     * @param history the folder for the history
     */
    public static Host here(boolean server, Path history) {
        return here(server).withHistory(FolderReader.read(history));
    }

    static Host here(boolean server) {
        Path root = Path.of("/");
        Host.Java java = JavaReader.here(new HostFiles(root), server);
        // A server has tried to bind its ports, and the kernel's list is long on a host with many connections.
        return new HostReader(root, Runtime.getRuntime().availableProcessors(), java).read(!server);
    }

    Host read() {
        return read(true);
    }

    private Host read(boolean listeners) {
        return new Host(processors, openFiles(), kernel(), memory(), ports(listeners), nics(), java, Optional.empty());
    }

    private Host.OpenFiles openFiles() {
        return files.match("proc/self/limits", OPEN_FILES)
                .map(line -> new Host.OpenFiles(limit(line.group(1)), limit(line.group(2))))
                .orElse(new Host.OpenFiles(OptionalLong.empty(), OptionalLong.empty()));
    }

    private static OptionalLong limit(String word) {
        return OptionalLong.of(word.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(word));
    }

    private Host.Kernel kernel() {
        Map<String, List<Long>> found = SETTINGS.stream().collect(Collectors.toMap(Function.identity(), this::setting));
        return new Host.Kernel(found);
    }

    private List<Long> setting(String name) {
        return files.matches("proc/sys/" + name.replace('.', '/'), NUMBER)
                .map(number -> Long.parseLong(number.group()))
                .toList();
    }

    private Host.Memory memory() {
        OptionalLong ram = files.matches("proc/meminfo", RAM)
                .mapToLong(line -> Long.parseLong(line.group(1)) << 10)
                .findFirst();
        // The file lists every mode, the chosen one in brackets.
        Optional<String> hugePages = files.match("sys/kernel/mm/transparent_hugepage/enabled", HUGE_PAGES)
                .map(mode -> mode.group(1));
        return new Host.Memory(ram, new ControlGroup(files).limitBytes(), hugePages);
    }

    private Host.Ports ports(boolean listeners) {
        boolean bindsLow = files.match("proc/self/status", CAPABILITIES)
                .map(line -> Long.parseUnsignedLong(line.group(1), 16))
                .map(capabilities -> (capabilities >> CAP_NET_BIND_SERVICE & 1) == 1)
                .orElse(true);
        Stream<String> tables = listeners ? Stream.of("proc/net/tcp", "proc/net/tcp6") : Stream.empty();
        Set<Integer> listening = tables.flatMap(file -> files.matches(file, LISTENING))
                .map(row -> Integer.parseInt(row.group(1), 16))
                .collect(Collectors.toUnmodifiableSet());
        return new Host.Ports(bindsLow, listening, reservedPorts());
    }

    /** Returns ports and ranges of ports: {@code 8800,9000-9010}. */
    private Set<Integer> reservedPorts() {
        return files.matches("proc/sys/net/ipv4/ip_local_reserved_ports", PORTS)
                .flatMap(range -> {
                    int first = Integer.parseInt(range.group(1));
                    int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
                    return IntStream.rangeClosed(first, last).boxed();
                })
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns only cards with hardware, a hypervisor's included: bridges and tunnels have no queues of their own. */
    private List<Host.Nic> nics() {
        return files.names("sys/class/net").stream()
                .filter(card -> files.exists("sys/class/net/" + card + "/device"))
                .map(this::nic)
                .filter(nic -> nic.receiveQueues() > 0)
                .toList();
    }

    private Host.Nic nic(String card) {
        String folder = "sys/class/net/" + card + "/queues";
        List<String> queues = files.names(folder).stream()
                .filter(queue -> queue.startsWith("rx-"))
                .toList();
        boolean spread = queues.stream()
                .anyMatch(queue -> files.match(folder + "/" + queue + "/rps_cpus", PROCESSORS_CHOSEN)
                        .isPresent());
        return new Host.Nic(card, queues.size(), spread);
    }
}
