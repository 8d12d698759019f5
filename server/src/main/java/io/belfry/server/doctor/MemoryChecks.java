package io.belfry.server.doctor;

import java.util.Optional;
import java.util.stream.Stream;

/** Checks of heap, history and kernel memory against the machine's memory. Pure functions. */
final class MemoryChecks {
    /** Heap of an idle connection with one subscription; measured: about 1.1 KB. */
    private static final long HEAP_BYTES_PER_CONNECTION = 2_048;

    /** Kernel memory of a socket; measured: 4.0 KB idle and 1.6 KB more with unread data. */
    private static final long KERNEL_BYTES_PER_CONNECTION = 5_734;

    /** Code, threads, the collector's own tables and network buffers. */
    private static final long JVM_BYTES = 256L << 20;

    private MemoryChecks() {}

    static Stream<Finding> of(ExpectedLoad load, Host host) {
        return Stream.of(machine(load, host), heap(load), hugePages(host)).flatMap(Optional::stream);
    }

    private static Optional<Finding> machine(ExpectedLoad load, Host host) {
        long kernel = load.connections() * KERNEL_BYTES_PER_CONNECTION;
        long heap = load.config().process().memoryBytes();
        long cache = load.config().history().cacheMemoryBytes();
        long needed = heap + cache + JVM_BYTES + kernel;
        String where =
                host.memory().limitBytes().isPresent() ? "this control group or machine has " : "this machine has ";
        return Host.below(host.memory().availableBytes(), needed)
                .map(available -> Finding.serious(
                        "memory: " + where + megabytes(available) + ", but " + megabytes(needed)
                                + " are needed (Memory "
                                + megabytes(heap) + ", CacheMemory outside the heap " + megabytes(cache)
                                + ", the JVM and its network buffers " + megabytes(JVM_BYTES) + ", sockets "
                                + megabytes(kernel) + " for " + load.reason() + ")",
                        available > JVM_BYTES + kernel
                                ? shares(available - JVM_BYTES - kernel, heap, cache)
                                : new String[] {
                                    "Limit.Connections = "
                                            + Math.max(1, (available - JVM_BYTES) / 2 / KERNEL_BYTES_PER_CONNECTION)
                                            + "   # in the configuration, or more memory"
                                }));
    }

    /** Divides the available memory between heap and history in their present proportion. */
    private static String[] shares(long bytes, long heap, long cache) {
        long less = (long) (bytes * ((double) heap / (heap + cache)));
        return new String[] {
            "Memory = " + megabytes(less) + "   # in the configuration",
            "CacheMemory = " + megabytes(bytes - less) + "   # in the configuration"
        };
    }

    private static Optional<Finding> heap(ExpectedLoad load) {
        long needed = load.connections() * HEAP_BYTES_PER_CONNECTION;
        return load.config().process().memoryBytes() >= needed
                ? Optional.empty()
                : Optional.of(Finding.serious(
                        "heap: Memory is " + megabytes(load.config().process().memoryBytes()) + ", about "
                                + megabytes(needed) + " are needed for " + load.reason(),
                        "Memory = " + megabytes(needed + needed / 4) + "   # in the configuration"));
    }

    private static Optional<Finding> hugePages(Host host) {
        return host.memory()
                .hugePages()
                .filter(mode -> mode.equals("never"))
                .map(mode -> Finding.advice(
                        "huge pages: transparent huge pages are off; with millions of subjects a lookup takes a quarter"
                                + " longer",
                        "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled"));
    }

    private static String megabytes(long bytes) {
        return Math.max(1, bytes >> 20) + " MB";
    }
}
