package io.belfry.server.monitor;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How much memory and how many open files the process uses. Owner: the sampler's thread. */
public final class ProcessShares {
    /** Files are counted once per minute, because the kernel lists every file for it. */
    private static final long FILES_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final List<BufferPoolMXBean> DIRECT_MEMORY =
            ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .filter(pool -> pool.getName().equals("direct"))
                    .toList();

    private long filesCountedNanos;
    private double filesShare;

    ProcessShares(long nowNanos) {
        countFiles(nowNanos);
    }

    void onSample(long nowNanos) {
        if (nowNanos - filesCountedNanos >= FILES_NANOS) {
            countFiles(nowNanos);
        }
    }

    private void countFiles(long nowNanos) {
        filesCountedNanos = nowNanos;
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            filesShare = system.getOpenFileDescriptorCount() / (double) system.getMaxFileDescriptorCount();
        }
    }

    double heapShare() {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        return heap.getUsed() / (double) heap.getMax();
    }

    double filesShare() {
        return filesShare;
    }

    /** Returns the direct memory of the history, the socket buffers and the encoded messages. Any thread. */
    public static long directBytes() {
        return DIRECT_MEMORY.stream().mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }
}
