package io.belfry.server.monitor;

import java.util.List;

/** A workgroup's name and the indexes of its loops in {@link io.belfry.server.counter.Counters}. Immutable. */
public record WorkgroupLoops(String name, List<Integer> loops) {
    public WorkgroupLoops {
        if (!name.matches("[A-Za-z0-9_-]+") || loops.isEmpty()) {
            throw new IllegalArgumentException(
                    "a workgroup needs a name of letters, digits, '_' and '-', and at least one loop: '" + name + "' "
                            + loops);
        }
        loops = List.copyOf(loops);
    }
}
