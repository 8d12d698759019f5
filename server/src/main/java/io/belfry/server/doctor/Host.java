package io.belfry.server.doctor;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Facts about the machine and the JVM. A fact that cannot be read, because the system is not Linux or a container
 * hides it, is absent, and the checks that need it are omitted. Immutable.
 */
public record Host(
        int processors,
        OpenFiles openFiles,
        Kernel kernel,
        Memory memory,
        Ports ports,
        List<Nic> nics,
        Java java,
        Optional<Folder> history) {
    public Host {
        nics = List.copyOf(nics);
    }

    /** Returns the same host without listeners on any port. */
    public Host withoutListeners() {
        Ports silent = new Ports(ports.bindsLow(), Set.of(), ports.reserved());
        return new Host(processors, openFiles, kernel, memory, silent, nics, java, history);
    }

    /** Returns the same host with a folder for the history. */
    public Host withHistory(Folder folder) {
        return new Host(processors, openFiles, kernel, memory, ports, nics, java, Optional.of(folder));
    }

    /** Returns the number found, if it is known and less than needed. */
    static Optional<Long> below(OptionalLong found, long needed) {
        return found.stream().filter(value -> value < needed).boxed().findFirst();
    }

    /** The reason why a folder cannot be used. */
    public enum Obstacle {
        /** The path is a file. */
        FILE,
        /** This user may not write to it, or not create it. */
        RIGHTS
    }

    /**
     * A folder that exists or would be created.
     *
     * @param obstacle the reason why this user cannot use it
     * @param type the type of its file system
     * @param usedBytes the bytes of its files
     */
    public record Folder(
            Path path, Optional<Obstacle> obstacle, Optional<String> type, OptionalLong freeBytes, long usedBytes) {
        /** Returns the name of the user of this process. */
        String user() {
            return System.getProperty("user.name", "belfry");
        }
    }

    /** The limits with which this process was started; the JVM raises its soft limit to the hard one. */
    public record OpenFiles(OptionalLong soft, OptionalLong hard) {}

    /** Kernel settings by their sysctl name, with one or several numbers each. */
    public record Kernel(Map<String, List<Long>> settings) {
        public Kernel {
            settings = Map.copyOf(settings);
        }

        public OptionalLong value(String name) {
            return value(name, 0);
        }

        public OptionalLong value(String name, int column) {
            List<Long> values = settings.getOrDefault(name, List.of());
            return column < values.size() ? OptionalLong.of(values.get(column)) : OptionalLong.empty();
        }
    }

    /**
     * The machine's memory.
     *
     * @param limitBytes the smallest memory limit among this process's control groups
     * @param hugePages the transparent huge page mode: always, madvise or never
     */
    public record Memory(OptionalLong ramBytes, OptionalLong limitBytes, Optional<String> hugePages) {
        /** Returns the maximum memory of this process. */
        public OptionalLong availableBytes() {
            if (ramBytes.isPresent() && limitBytes.isPresent()) {
                return OptionalLong.of(Math.min(ramBytes.getAsLong(), limitBytes.getAsLong()));
            }
            return ramBytes.isPresent() ? ramBytes : limitBytes;
        }
    }

    /**
     * The machine's ports.
     *
     * @param bindsLow whether this user may listen below {@code net.ipv4.ip_unprivileged_port_start}
     * @param listening TCP ports with a listener now
     * @param reserved ports that are not used for outgoing connections
     */
    public record Ports(boolean bindsLow, Set<Integer> listening, Set<Integer> reserved) {
        public Ports {
            listening = Set.copyOf(listening);
            reserved = Set.copyOf(reserved);
        }
    }

    /**
     * A network card with hardware behind it.
     *
     * @param spread whether the kernel distributes its packets over processors in software (RPS)
     */
    public record Nic(String name, int receiveQueues, boolean spread) {}

    /**
     * The running JVM.
     *
     * @param server whether it runs the server, so that its heap and its flags are checked
     * @param flags the flags on its command line
     * @param epollLibrary whether the native library for this system is on the class path
     * @param tlsLibrary whether the library of the native TLS is on the class path
     * @param temporaryFolder the folder into which libraries are unpacked
     * @param temporaryFolderRuns whether programs may be run from that folder
     */
    public record Java(
            int feature,
            String version,
            boolean server,
            long heapMaxBytes,
            List<String> flags,
            boolean epollLibrary,
            boolean tlsLibrary,
            String temporaryFolder,
            boolean temporaryFolderRuns) {
        public Java {
            flags = List.copyOf(flags);
        }
    }
}
