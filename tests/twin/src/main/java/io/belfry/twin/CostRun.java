package io.belfry.twin;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * What keeping messages in a store costs, and reading a subject's last ten. CPU is that of the whole process, so a store's own
 * threads count, and so does the compiler; the first tenth warms up and does not count. What the calling thread took of it
 * is told apart: for Belfry's log that is what an event loop does, and making up the messages.
 */
final class CostRun {
    private static final int LAST = 10;
    private static final int READS = 20_000;

    private final StoreKind kind;
    private final Path folder;
    private final Workload workload;
    private final long messages;
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    CostRun(StoreKind kind, Path folder, Workload workload, long messages) {
        this.kind = kind;
        this.folder = folder;
        this.workload = workload;
        this.messages = messages;
    }

    static void printHead() {
        System.out.printf(
                "%-18s %9s %9s %12s %10s %10s %10s %10s %10s %12s%n",
                "store",
                "us CPU",
                "of it by",
                "messages/s",
                "sync p50",
                "sync p99",
                "last p50",
                "last p99",
                "resident",
                "bytes on");
        System.out.printf(
                "%-18s %9s %9s %12s %10s %10s %10s %10s %10s %12s%n",
                "", "a message", "caller", "", "ms", "ms", "us", "us", "MB", "disk each");
    }

    void run() throws IOException {
        try (Store store = kind.open(folder)) {
            long next = 0;
            while (next < messages / 10) {
                next = workload.appendGroup(store, next);
            }
            long from = next;
            long[] syncs = new long[(int) ((messages - from) / workload.group() + 1)];
            int groups = 0;
            long cpuNanos = process.getProcessCpuTime();
            long callerNanos = threads.getCurrentThreadCpuTime();
            long nanos = System.nanoTime();
            while (next < messages) {
                long begun = System.nanoTime();
                next = workload.appendGroup(store, next);
                syncs[groups++] = System.nanoTime() - begun;
            }
            double cpu = (process.getProcessCpuTime() - cpuNanos) / (double) (next - from);
            double caller = (threads.getCurrentThreadCpuTime() - callerNanos) / (double) (next - from);
            double perSecond = (next - from) * 1e9 / (System.nanoTime() - nanos);
            long[] reads = readLast(store, next);
            System.out.printf(
                    "%-18s %9.2f %9.2f %,12.0f %10.2f %10.2f %10.1f %10.1f %10.0f %12.0f%n",
                    kind.text(),
                    cpu / 1000,
                    caller / 1000,
                    perSecond,
                    percentile(syncs, groups, 50) / 1e6,
                    percentile(syncs, groups, 99) / 1e6,
                    percentile(reads, READS, 50) / 1e3,
                    percentile(reads, READS, 99) / 1e3,
                    Footprint.residentBytes() / 1e6,
                    Footprint.bytesOnDisk(folder) / (double) next);
        }
    }

    /** The nanoseconds of each read; the first half of all reads warms up. */
    private long[] readLast(Store store, long kept) throws IOException {
        long[] nanos = new long[READS];
        SplittableRandom random = new SplittableRandom(7);
        for (int i = -READS; i < READS; i++) {
            int subject = workload.subject(random.nextLong(kept));
            int[] count = new int[1];
            long from = System.nanoTime();
            store.read(subject, 0, LAST, (seq, data) -> count[0]++);
            if (i >= 0) {
                nanos[i] = System.nanoTime() - from;
            }
            if (count[0] != LAST && kind.survives()) {
                throw new IllegalStateException(count[0] + " messages of subject " + subject + " instead of " + LAST);
            }
        }
        return nanos;
    }

    private static double percentile(long[] values, int count, int percent) {
        long[] sorted = Arrays.copyOf(values, count);
        Arrays.sort(sorted);
        return sorted[(int) ((count - 1L) * percent / 100)];
    }
}
