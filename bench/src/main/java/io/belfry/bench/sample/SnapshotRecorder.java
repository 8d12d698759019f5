package io.belfry.bench.sample;

import io.belfry.bench.sample.Timeline.ProcessSnapshot;
import io.belfry.benchkit.process.Kernel;
import io.belfry.benchkit.process.MonitorClient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes a snapshot every second, in its own thread. Any thread. */
public final class SnapshotRecorder implements AutoCloseable {
    private final OptionalLong serverPid;
    private final @Nullable MonitorClient monitor;
    private final List<Long> generatorPids = new CopyOnWriteArrayList<>();
    /** The last known CPU time of each generator by its process id. Owner: the recorder's thread. */
    private final Map<Long, Double> generatorCpu = new HashMap<>();

    private final List<ProcessSnapshot> snapshots = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            work -> Thread.ofPlatform().daemon().name("snapshots").unstarted(work));

    /** A server elsewhere has no process id, and one without a monitor has no figures. */
    public SnapshotRecorder(OptionalLong serverPid, @Nullable MonitorClient monitor) {
        this.serverPid = serverPid;
        this.monitor = monitor;
    }

    /** Starts the recording. */
    public void start() {
        thread.scheduleAtFixedRate(this::record, 0, 1, TimeUnit.SECONDS);
    }

    /** Adds a process to {@link ProcessSnapshot#generatorsCpuSeconds}. */
    public void watch(long pid) {
        generatorPids.add(pid);
    }

    private void record() {
        snapshots.add(new ProcessSnapshot(
                System.currentTimeMillis(),
                serverPid.isPresent() ? Kernel.process(serverPid.getAsLong()) : null,
                generators(),
                Kernel.machine(),
                Kernel.tcpBytes(),
                monitor == null ? null : monitor.stats()));
    }

    /** A process that has ended keeps its last CPU time, so that the sum never decreases. */
    private Map<Long, Double> generators() {
        for (long pid : generatorPids) {
            Kernel.ProcessUse use = Kernel.process(pid);
            if (use != null) {
                generatorCpu.put(pid, use.cpuSeconds());
            }
        }
        return Map.copyOf(generatorCpu);
    }

    /** The snapshots so far. */
    public List<ProcessSnapshot> snapshots() {
        return List.copyOf(snapshots);
    }

    /** Ends the recording after the current snapshot. */
    @Override
    public void close() {
        thread.close();
    }
}
