package io.belfry.server.doctor;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What is known about the machine and the JVM. What a host does not tell, because it is no Linux or because a container
 * hides it, is absent, and the checks that need it are left out. Immutable.
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

    /** The same, as if nobody listened anywhere. */
    public Host withoutListeners() {
        Ports silent = new Ports(ports.bindsLow(), Set.of(), ports.reserved());
        return new Host(processors, openFiles, kernel, memory, silent, nics, java, history);
    }

    /** The same with a folder for the history. */
    public Host withHistory(Folder folder) {
        return new Host(processors, openFiles, kernel, memory, ports, nics, java, Optional.of(folder));
    }

    /** Why a folder cannot be used. */
    public enum Obstacle {
        /** There is a file where a folder must be. */
        FILE,
        /** This user may not write to it, or not create it. */
        RIGHTS
    }

    /**
     * A folder that is there or would be created.
     *
     * @param obstacle why this user cannot use it
     * @param type of the file system it is on
     * @param usedBytes what lies in it
     */
    public record Folder(
            Path path, Optional<Obstacle> obstacle, Optional<String> type, OptionalLong freeBytes, long usedBytes) {
        /** Who asks. */
        String user() {
            return System.getProperty("user.name", "belfry");
        }
    }

    /** The limits this process was started with; the JVM raises its soft limit to the hard one by itself. */
    public record OpenFiles(OptionalLong soft, OptionalLong hard) {}

    /** Kernel settings by their sysctl name; several numbers where the setting has several. */
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
     * How much memory there is.
     *
     * @param limitBytes the smallest memory limit among this process's control groups
     * @param hugePages the transparent huge page mode: always, madvise or never
     */
    public record Memory(OptionalLong ramBytes, OptionalLong limitBytes, Optional<String> hugePages) {
        /** What this process can have at most. */
        public OptionalLong availableBytes() {
            if (ramBytes.isPresent() && limitBytes.isPresent()) {
                return OptionalLong.of(Math.min(ramBytes.getAsLong(), limitBytes.getAsLong()));
            }
            return ramBytes.isPresent() ? ramBytes : limitBytes;
        }
    }

    /**
     * Which ports can be had.
     *
     * @param bindsLow whether this user may listen below {@code net.ipv4.ip_unprivileged_port_start}
     * @param listening TCP ports somebody listens on now
     * @param reserved ports that outgoing connections are not given
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
     * @param spread whether the kernel spreads its packets over processors in software (RPS)
     */
    public record Nic(String name, int receiveQueues, boolean spread) {}

    /**
     * The JVM that asks.
     *
     * @param server whether it is the server's, so that its heap and its flags are to be judged
     * @param flags as given on its command line
     * @param epollLibrary whether the native library for this system is on the class path
     * @param tlsLibrary whether that of the native TLS is
     * @param temporaryFolder where it is unpacked to
     * @param temporaryFolderRuns whether programs may be run from there
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
