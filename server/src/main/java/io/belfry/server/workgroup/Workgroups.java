package io.belfry.server.workgroup;

import io.belfry.server.config.WorkgroupConfig;
import io.belfry.server.subject.SubjectHomes;
import io.belfry.server.turn.Loop;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** All lanes by workgroup, and the assignment of clients to lanes. Immutable. */
public final class Workgroups {
    private final List<Lane> lanes;
    private final int workgroups;
    private final boolean evenly;

    public Workgroups(WorkgroupConfig config, IntFunction<Loop> loops, LaneSetup setup) {
        int count = config.ioThreads();
        workgroups = config.workgroups();
        evenly = config.benchmarkMode();
        SubjectHomes homes = homes(config, setup);
        lanes = IntStream.range(0, count)
                .mapToObj(i -> new Lane(i, homes, loops.apply(i), setup))
                .toList();
        lanes.forEach(lane -> lane.start(lanes));
    }

    /** Homes of subjects on disk and of a cluster's subjects must be the same after a restart, and where the log is read. */
    private static SubjectHomes homes(WorkgroupConfig config, LaneSetup setup) {
        boolean stored = setup.storage() != null || setup.backbone() != null;
        return config.homesNearSubscribers() && !stored
                ? SubjectHomes.nearSubscribers(
                        config.ioThreads(), Runtime.getRuntime().maxMemory())
                : SubjectHomes.byHash(config.ioThreads());
    }

    public List<Lane> lanes() {
        return lanes;
    }

    public int workgroups() {
        return workgroups;
    }

    /** Returns the workgroup of a lane; lanes are distributed in turn. */
    public int workgroupOf(int lane) {
        return lane % workgroups;
    }

    /**
     * Returns the lane that serves a client. In benchmark mode it is the accepting one, because the kernel spreads connections
     * evenly; else it is the one its address hashes to, so that a user's connections share a workgroup.
     */
    public Lane laneOf(Lane accepting, int addressHash) {
        if (evenly || lanes.size() == 1) {
            return accepting;
        }
        int mixed = addressHash * 0x9E3779B9;
        return lanes.get(Math.floorMod(mixed ^ mixed >>> 16, lanes.size()));
    }
}
