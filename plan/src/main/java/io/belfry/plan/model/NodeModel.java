package io.belfry.plan.model;

import io.belfry.plan.coefficient.Coefficients;
import io.belfry.plan.coefficient.Unit;
import io.belfry.plan.input.Machine;
import io.belfry.plan.input.Retention;
import io.belfry.plan.input.Workload;
import java.util.List;

/** What one node needs of everything. Immutable. */
final class NodeModel {
    /** Listening sockets, logs, jars, connections to brokers. */
    private static final double FILES_OF_ITS_OWN = 512;

    private final Machine machine;
    private final MemoryUse memory;
    private final CpuUse cpu;
    private final NetworkUse network;

    NodeModel(Workload load, Machine machine, Retention retention, Coefficients coefficients) {
        Ingredients in = new Ingredients(load, coefficients);
        this.machine = machine;
        memory = new MemoryUse(in, machine, retention);
        cpu = new CpuUse(in, machine, retention);
        network = new NetworkUse(in, machine);
    }

    List<Usage> usages(Situation at) {
        return List.of(memory.of(at), cpu.ordinary(at), network.out(at), network.in(at), cpu.comingBack(at), files(at));
    }

    private Usage files(Situation at) {
        Value needed = at.sessions().plus(Value.of("own-files", FILES_OF_ITS_OWN, Unit.COUNT));
        return new Usage(
                Resource.OPEN_FILES,
                List.of(new Term("connections", needed, Unit.COUNT)),
                new Term("limit", Value.of("open-files", machine.openFiles(), Unit.COUNT), Unit.COUNT));
    }

    MemoryUse memory() {
        return memory;
    }

    CpuUse cpu() {
        return cpu;
    }

    NetworkUse network() {
        return network;
    }
}
