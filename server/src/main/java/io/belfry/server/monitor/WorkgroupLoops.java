package io.belfry.server.monitor;

import java.util.List;

/** A workgroup's name and the indexes of its loops in {@link io.belfry.server.counter.Counters}. Immutable. */
public record WorkgroupLoops(String name, List<Integer> loops) {
    public WorkgroupLoops {
        if (!name.matches("[A-Za-z0-9_-]+") || loops.isEmpty()) {
            throw new IllegalArgumentException(
                    "a workgroup has a name of letters and digits and at least one loop, not '" + name + "' " + loops);
        }
        loops = List.copyOf(loops);
    }
}
