package io.belfry.bench.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Looks once a second, in a thread of its own; what it saw can be read at any time. Any thread.
 */
public final class Sampler implements AutoCloseable {
    private final OptionalLong serverPid;
    private final Optional<Monitor> monitor;
    private final List<Long> generatorPids = new CopyOnWriteArrayList<>();
    private final List<OptionalDouble> lastOfGenerators = new ArrayList<>();
    private final List<Look> looks = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            work -> Thread.ofPlatform().daemon().name("sampler").unstarted(work));

    private Sampler(OptionalLong serverPid, Optional<Monitor> monitor) {
        this.serverPid = serverPid;
        this.monitor = monitor;
    }

    public static Sampler start(OptionalLong serverPid, Optional<Monitor> monitor) {
        Sampler sampler = new Sampler(serverPid, monitor);
        sampler.thread.scheduleAtFixedRate(sampler::look, 0, 1, TimeUnit.SECONDS);
        return sampler;
    }

    /** Watches one more process; its place in {@link Look#generatorsCpuSeconds}. */
    public int watch(long pid) {
        generatorPids.add(pid);
        return generatorPids.size() - 1;
    }

    private void look() {
        looks.add(new Look(
                System.currentTimeMillis(),
                serverPid.isPresent() ? Kernel.process(serverPid.getAsLong()) : Optional.empty(),
                generators(),
                Kernel.machineBusySeconds(),
                Kernel.tcpBytes(),
                monitor.flatMap(Monitor::stats)));
    }

    /** A process that has ended keeps what it had used: the sum must not fall. Owner: the sampler's thread. */
    private List<OptionalDouble> generators() {
        for (int i = 0; i < generatorPids.size(); i++) {
            if (i == lastOfGenerators.size()) {
                lastOfGenerators.add(OptionalDouble.empty());
            }
            Optional<Kernel.ProcessUse> use = Kernel.process(generatorPids.get(i));
            if (use.isPresent()) {
                lastOfGenerators.set(i, OptionalDouble.of(use.get().cpuSeconds()));
            }
        }
        return List.copyOf(lastOfGenerators);
    }

    public List<Look> looks() {
        return List.copyOf(looks);
    }

    /** Ends after the look that is being taken. */
    @Override
    public void close() {
        thread.close();
    }
}
